// One process does everything here. From the request to the final state, every due effect and callback of a payment has a lease, so
// nothing waits for a claim.
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { byTable } from '../support/by-table.ts';
import { pay, quote } from '../support/person.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';
import { COMPLETED_ONCE, completes, effectsOf, historyOf } from './payments.ts';

// A process counts as dead late enough that the heartbeat is never too old, even on a busy machine.
const { world, ada } = useWorld({
  env: { PROCESS_DEAD_AFTER_SECONDS: '120', WORKER_CONCURRENCY: '16' },
  deposit: '500.00',
});
beforeAll(async () => {
  const { db } = world.service.app;
  await sql`create schema seen`.execute(db);
  await sql`create table seen.versions
    (nth bigserial, id uuid, is_due boolean, leased_by uuid, lease_token int)`.execute(db);
  await sql`create function seen.keep() returns trigger language plpgsql as $$
    begin
      insert into seen.versions (id, is_due, leased_by, lease_token)
        values (new.id, new.due_at is not null, new.leased_by, new.lease_token);
      return null;
    end $$`.execute(db);
  await sql`create trigger keep after insert or update on effects
    for each row execute function seen.keep()`.execute(db);
  await sql`create trigger keep after insert or update on webhook_events
    for each row execute function seen.keep()`.execute(db);
});

test('each row of a payment is leased from its first version to its last', async () => {
  const { db } = world.service.app;
  const id = await pay(ada, await quote(ada, 50));
  await completes(world, id);
  const callbacks = await until(
    () => byTable(db).selectFrom('webhook_events').select(['id', 'due_at']).execute(),
    (events) => events.every(({ due_at: due }) => due === null),
  );
  const effects = await effectsOf(world, id);
  expect(effects.map(({ type }) => type)).toEqual(['startConversion', 'startPayout']);
  expect(callbacks.length).toBeGreaterThan(0);

  const { rows: processes } = await sql<{ id: string }>`select id from processes`.execute(db);
  const { rows: versions } = await sql<{ id: string; version: string }>`
    select id, case when is_due then 'due, of ' || coalesce(leased_by::text, 'nobody') else 'over' end
      || ', lease ' || lease_token as version
    from seen.versions order by nth`.execute(db);
  const byRow = Map.groupBy(versions, (version) => version.id);
  const leased = [`due, of ${processes[0]?.id}, lease 1`, 'over, lease 1'];
  expect(processes).toHaveLength(1);
  for (const effect of effects) expect(byRow.get(effect.id)?.map(({ version }) => version)).toEqual(leased);
  // A callback that needs no processing is finished when it is stored.
  const others = [...byRow.values()]
    .map((ofRow) => ofRow.map(({ version }) => version))
    .filter((ofRow) => ofRow[0] !== 'over, lease 0');
  expect(others.length).toBeGreaterThan(effects.length);
  for (const ofRow of others) expect(ofRow).toEqual(leased);
  expect(await historyOf(world, id)).toEqual(COMPLETED_ONCE);
});
