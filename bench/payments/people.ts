// The payers of the benchmark: signed in, verified, and with enough money for all their payments.
import { createPerson, depositInstructions, openAccount, signIn } from '../../scripts/journey/person.ts';
import { sendMoney } from '../../scripts/journey/sandbox.ts';
import { until } from '../../scripts/journey/until.ts';

export type Payer = { authorization: string };
/** @returns the token of a session. */
export type MakePayer = (name: string) => Promise<string>;

const CONCURRENCY = 8;

export async function makePayers(many: number, makePayer: MakePayer): Promise<Payer[]> {
  const payers: Payer[] = [];
  while (payers.length < many) {
    const few = Array.from({ length: CONCURRENCY }, (_, n) => makePayer(`p${payers.length + n}`));
    payers.push(...(await Promise.all(few)).map((token) => ({ authorization: `Bearer ${token}` })));
  }
  return payers;
}

/** Signs one user in to the service and gives them an account with money. */
export const payerOfService =
  (around: { url: string; sandboxUrl: string }): MakePayer =>
  async (name) => {
    const person = createPerson(around);
    const { sessionToken } = await signIn(person, { email: `${name}@example.com`, name });
    await openAccount(person);
    await sendMoney(person, await depositInstructions(person), '1000000.00');
    await until(person.ponte.me, ({ balance }) => (balance?.amount ?? 0) > 0);
    return sessionToken;
  };
