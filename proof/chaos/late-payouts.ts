// Makes payouts that the provider receives more than a minute late, and whose repetition it refuses meanwhile. The service must not
// treat the refusal as final: the first request still pays.
import type { Person } from '../stack/people.ts';
import type { Stack } from '../stack/stack.ts';
import { accountOf } from './accounts.ts';
import { orderFault } from './provider-faults.ts';
import type { Burst } from './workload.ts';

/** Some of the payments end before their payout. */
const PAYMENTS = 3;

export async function latePayout(
  { sandboxUrl, database }: Stack,
  person: Person,
  burst: Burst,
  lateMs: number,
): Promise<void> {
  const about = await accountOf(database.url, person, 'BRL');
  const next = { operation: 'createPayout', about };
  await orderFault(sandboxUrl, { ...next, fault: 'receivedLate', details: { lateMs } });
  await orderFault(sandboxUrl, { ...next, fault: 'refused', details: { code: 'rejected' } });
  await burst(person, PAYMENTS);
}
