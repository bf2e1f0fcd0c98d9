// Processes that carry out work beside one another, and what can be seen of them: their rows, their log, their payments.
import { sql } from 'kysely';
import { leasedIn, type WorkRow } from '../support/outbox.ts';
import { type Person, pay, quote } from '../support/person.ts';
import { type ServiceProcess, startReadyProcess } from '../support/process.ts';
import { until } from '../support/until.ts';
import { accountRefOf } from '../support/upstream.ts';
import type { UpstreamProxy } from '../support/upstream-proxy.ts';
import type { World } from '../support/world.ts';

/** Longer than any of these tests: no call ends by itself. */
export const NO_TIMEOUT_MS = '110000';

/** Of a world whose own process serves HTTP only. */
export const startWorker = ({ env }: World, more: NodeJS.ProcessEnv = {}): Promise<ServiceProcess> =>
  startReadyProcess({ ...env, ROLE: 'worker', LOG_LEVEL: 'info', ...more });

/** How often it has logged the code. */
export const logged = ({ output }: ServiceProcess, code: string): number =>
  output().split(`"code":"${code}"`).length - 1;

export type ProcessRow = { id: string; pid: number; heartbeat: number };

/** The processes that are registered. */
export async function processesIn({ service }: World): Promise<ProcessRow[]> {
  const { rows } = await sql<ProcessRow>`
    select id, split_part(name, ':', -1)::int as pid, heartbeat from processes order by id
  `.execute(service.app.db);
  return rows;
}

/** Waits until the process is registered. */
export async function rowOf(world: World, { child }: ServiceProcess): Promise<ProcessRow> {
  const row = (rows: ProcessRow[]) => rows.find(({ pid }) => pid === child.pid);
  const found = row(
    await until(
      () => processesIn(world),
      (rows) => row(rows) !== undefined,
    ),
  );
  if (!found) throw new Error('not registered');
  return found;
}

/** Waits until each of these processes, under the id that it had, has written so many heartbeats more. */
export async function allBeat(world: World, before: ProcessRow[], times: number, withinMs = 100_000) {
  const has = (rows: ProcessRow[]) =>
    before.every(({ id, heartbeat }) =>
      rows.some((row) => row.id === id && row.heartbeat >= heartbeat + times),
    );
  await until(() => processesIn(world), has, withinMs);
}

/**
 * A payment whose conversion is in progress: the provider made it and does not answer, and no callback reports it.
 * @returns how many calls have gone unanswered, and the row with its lease.
 */
export async function hangingPayment(
  person: Person,
  proxy: UpstreamProxy,
): Promise<{ id: string; hits: () => number; work: WorkRow }> {
  const { world, userId } = person;
  const before = new Set((await leasedIn(world)).map(({ id }) => id));
  const about = await accountRefOf(world, userId, 'GBP');
  const { hits } = proxy.spoil({
    operation: 'createInternalTransfer',
    spoilt: 'hang',
    silent: true,
    forwarded: true,
    about,
  });
  const id = await pay(person, await quote(person, 50));
  const [work] = await until(
    async () => (await leasedIn(world)).filter((leased) => !before.has(leased.id)),
    (works) => works.length === 1 && hits() === 1,
  );
  if (!work) throw new Error('no work');
  return { id, hits, work };
}

/** The history of a payment that was decided once at each step. */
export const COMPLETED_ONCE = ['quoted', 'converting.direct', 'paying', 'completed'];

/** Every state that the payment has entered, in order. */
export const historyOf = async ({ service }: World, paymentId: string): Promise<string[]> =>
  (
    await service.app.db
      .selectFrom('transitions')
      .select('to_state')
      .where('subject_id', '=', paymentId)
      .orderBy('seq')
      .execute()
  ).map(({ to_state: state }) => state);

export const effectsOf = ({ service }: World, subjectId: string) =>
  service.app.db
    .selectFrom('effects')
    .selectAll()
    .where('subject_id', '=', subjectId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();

/** Waits until the payment is completed. */
export const completes = ({ service }: World, paymentId: string, withinMs = 90_000) =>
  until(
    () =>
      service.app.db
        .selectFrom('pix_payments')
        .select('state')
        .where('id', '=', paymentId)
        .executeTakeFirstOrThrow(),
    ({ state }) => state === 'completed',
    withinMs,
  );
