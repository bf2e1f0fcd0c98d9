// The payers of the benchmark: signed in, verified, with enough money for all they are going to pay.
import { createPerson, depositInstructions, openAccount, signIn } from '../../scripts/journey/person.ts';
import { sendMoney } from '../../scripts/journey/sandbox.ts';
import { until } from '../../scripts/journey/until.ts';

export type Payer = { authorization: string };

/** Signs one person in and takes them to an account with money on it. */
export async function makePayer(
  { url, sandboxUrl }: { url: string; sandboxUrl: string },
  name: string,
): Promise<Payer> {
  const person = createPerson({ url, sandboxUrl });
  const { sessionToken } = await signIn(person, { email: `${name}@example.com`, name });
  await openAccount(person);
  await sendMoney(person, await depositInstructions(person), '1000000.00');
  await until(person.ponte.me, ({ balance }) => (balance?.amount ?? 0) > 0);
  return { authorization: `Bearer ${sessionToken}` };
}
