// The payers of the benchmark: signed in, verified, and with enough money for all their payments.
import { createPerson, join } from '../../harness/people/person.ts';

export type Payer = { authorization: string };
/** @returns the token of a session. */
export type MakePayer = (name: string) => Promise<string>;

const CONCURRENCY = 8;

export async function makePayers(count: number, makePayer: MakePayer): Promise<Payer[]> {
  const payers: Payer[] = [];
  while (payers.length < count) {
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
    const { sessionToken } = await join(person, '1000000.00', {
      claims: { email: `${name}@example.com`, name },
    });
    return sessionToken;
  };
