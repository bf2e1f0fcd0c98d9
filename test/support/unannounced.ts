// Changes without a notification: at the provider without a callback, in the outbox without a run.
import { sql, type Updateable } from 'kysely';
import { sendMoney } from '../../harness/people/sandbox.ts';
import type { Tables } from '../../src/tables/entities.ts';
import { gbp } from './bank-details.ts';
import { byTable } from './by-table.ts';
import { must, type Person, postJson } from './person.ts';
import { until } from './until.ts';
import { accountRefOf } from './upstream.ts';
import type { World } from './world.ts';

/** Drops every callback that the provider would send while `act` runs. */
async function withoutCallbacks<Result>({ sandboxUrl }: World, act: () => Promise<Result>): Promise<Result> {
  const faultInjection = async (method: 'PUT' | 'DELETE', body?: object): Promise<void> => {
    const response = await fetch(`${sandboxUrl}/sandbox/fault-injection`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`the faultInjection answered ${response.status}`);
  };
  await faultInjection('PUT', { callbacks: { lost: 1 } });
  try {
    return await act();
  } finally {
    await faultInjection('DELETE');
  }
}

/**
 * Deposits money without a callback. It asks the provider for the account's details, because GET /me would read the balance, and a
 * scan could follow from that. It waits until a scan that an earlier read of the balance caused is over.
 */
export async function depositWithoutCallback({ userId, world }: Person, amount: string): Promise<void> {
  const { db, provider } = world.service.app;
  const { home_currency: home } = await byTable(db)
    .selectFrom('users')
    .select('home_currency')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  if (home === null) throw new Error('the person has chosen no home currency');
  const ref = await accountRefOf(world, userId, home);
  await until(
    () =>
      byTable(db)
        .selectFrom('provider_resources')
        .select('handle')
        .where('provider_ref', '=', ref)
        .where((row) =>
          row.or([row('leased_by', 'is not', null), row('next_poll_at', '<=', sql<Date>`now()`)]),
        )
        .executeTakeFirst(),
    (scanning) => scanning === undefined,
  );
  const { depositInstructions } = await provider.getAccount(ref);
  await withoutCallbacks(world, () => sendMoney(world, depositInstructions ?? {}, amount));
}

export const refundWithoutCallback = (world: World, payoutRef: string | undefined): Promise<unknown> =>
  withoutCallbacks(world, () => postJson(`${world.sandboxUrl}/sandbox/payouts/${payoutRef}/refund`, {}));

/** Changes the effect of a row that waits for its next attempt. Waits while a process has the effect. */
export async function changeWaitingEffect(
  { service }: World,
  subjectId: string,
  columns: Updateable<Tables['effects']>,
): Promise<void> {
  await until(
    () =>
      byTable(service.app.db)
        .updateTable('effects')
        .set(columns)
        .where('subject_id', '=', subjectId)
        .where('status', '=', 'queued')
        .where('leased_by', 'is', null)
        .executeTakeFirstOrThrow(),
    ({ numUpdatedRows }) => numUpdatedRows === 1n,
  );
}

/** Saves a bank account, withdraws to it, and waits for the final status. */
export async function withdrawTo(
  { api }: Person,
  amount: number,
  end: 'settling' | 'completed' | 'failed',
): Promise<string> {
  must(await api.POST('/bank-details', { body: gbp }));
  const { id } = must(await api.POST('/withdraws', { body: { amount } }));
  await until(
    async () => must(await api.GET('/transactions/{id}', { params: { path: { id } } })),
    ({ status }) => status === end,
  );
  return id;
}
