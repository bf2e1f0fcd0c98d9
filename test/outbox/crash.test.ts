// Workers that are killed, and workers that only look dead: a killed one's jobs are finished by another, a live one's
// are never taken away.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Job, leasedIn } from '../support/outbox.ts';
import { type Person, pay, quote, verified } from '../support/person.ts';
import { killProcesses, startReadyProcess } from '../support/process.ts';
import { until } from '../support/until.ts';
import { accountRefOf, movementsOf, payoutsOf, transfersOf } from '../support/upstream.ts';
import { startUpstreamProxy, type UpstreamProxy } from '../support/upstream-proxy.ts';
import { startWorld, type World } from '../support/world.ts';

let world: World;
let proxy: UpstreamProxy;

// The world's own process serves HTTP only; the workers are processes of their own, so that they can be killed.
beforeAll(async () => {
  world = await startWorld({
    env: { ROLE: 'api', PROVIDER_TIMEOUT_MS: '30000' },
    upstream: async (sandboxUrl) => {
      proxy = await startUpstreamProxy(sandboxUrl);
      return proxy.url;
    },
  });
});
afterAll(async () => {
  await killProcesses();
  await world.stop();
  await proxy.close();
});

it('jobs of a killed worker are finished by another, those of a live one stay its own', async () => {
  const doomed = await startWorkerProcess();
  const [ada, bea] = [await payer(), await payer()];
  const lost = await hangingPayment(ada, { forwarded: true });
  doomed.child.kill('SIGKILL');
  expect(await doomed.exited).toMatchObject({ signal: 'SIGKILL' });
  const killedAt = Date.now();

  await Promise.all([startWorkerProcess(), startWorkerProcess()]);
  const kept = await hangingPayment(bea, { forwarded: false });
  const [first] = await holdersOf(kept.job.locked_by);
  await sql`select pg_terminate_backend(${first}::int)`.execute(world.service.app.db);
  const again = await until(
    () => holdersOf(kept.job.locked_by),
    (holders) => holders.length === 1 && holders[0] !== first,
  );
  expect(again).toHaveLength(1);

  await until(
    () => statusOf(lost.id),
    (status) => status === 'completed',
    15_000,
  );
  expect(Date.now() - killedAt).toBeLessThan(15_000);
  expect(await transfersOf(world, lost.id)).toHaveLength(1);
  expect(await payoutsOf(world, lost.id)).toHaveLength(1);
  expect(await movementsOf(ada, 'BRL')).toEqual(['CREDIT INTERNAL_TRANSFER 50.00', 'DEBIT PAYOUT 50.00']);

  // As long as it takes to be sure that somebody is dead, the other one has been without a connection only once.
  expect(await leasedIn(world)).toEqual([kept.job]);
});

const startWorkerProcess = () => startReadyProcess({ ...world.env, ROLE: 'worker' });

const payer = () => verified(world, { deposit: '500.00' });

const statusOf = async (id: string): Promise<string> =>
  (
    await world.service.app.db
      .selectFrom('pix_payments')
      .select('state')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  ).state;

/** A payment whose conversion is under way and does not answer, with the job that waits for it. */
async function hangingPayment(
  person: Person,
  { forwarded }: { forwarded: boolean },
): Promise<{ id: string; job: Job }> {
  const before = new Set((await leasedIn(world)).map((job) => job.id));
  const about = await accountRefOf(world, person.userId, 'GBP');
  const fault = { operation: 'createInternalTransfer', spoilt: 'hang', silent: true, about } as const;
  const hanging = proxy.spoil({ ...fault, forwarded });
  const id = await pay(person, await quote(person, 50));
  const [job] = await until(
    async () => (await leasedIn(world)).filter((locked) => !before.has(locked.id)),
    (jobs) => jobs.length === 1 && hanging.hits() === 1,
  );
  if (!job) throw new Error('no job');
  return { id, job };
}

/** Backends that hold the lock by which a worker shows that it lives. */
async function holdersOf(workerId: string | null | undefined): Promise<number[]> {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_locks, hashtextextended(${workerId ?? ''}, 0) as lock_id
    where locktype = 'advisory' and granted and objsubid = 1
      and (classid::bigint << 32) | objid::bigint = lock_id
      and database = (select oid from pg_database where datname = current_database())
  `.execute(world.service.app.db);
  return rows.map(({ pid }) => pid);
}
