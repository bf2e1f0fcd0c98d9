// The measurements of `npm run leases` can fail: an outcome that is written twice is found, and work counts as resumed only when
// another process has leased it.
import { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Lease, takenUp } from '../../proof/leases/held-work.ts';
import { outcomesIn, recordOutcomes } from '../../proof/leases/outcomes.ts';
import { pay, quote, reaches, verified } from '../support/person.ts';
import { useWorld } from '../support/use-world.ts';

let pool: Pool;
let effects: Lease[];

const { world } = useWorld();
beforeAll(async () => {
  pool = new Pool({ connectionString: world.databaseUrl, max: 1 });
  await recordOutcomes(pool);
  const ada = await verified(world, { deposit: '100.00' });
  await reaches(ada, await pay(ada, await quote(ada, 20)), 'completed');
  const { rows } = await pool.query<Lease>(
    `select 'effect' as kind, id, lease_token::int as token from effects where finished_at is not null order by id`,
  );
  effects = rows;
});
afterAll(async () => {
  await pool.end();
});

test('each effect of a payment has one outcome, and a second outcome is found', async () => {
  const before = await outcomesIn(pool);
  expect(before.twice).toEqual([]);
  expect(before.count).toBeGreaterThanOrEqual(2);
  const id = effects[0]?.id;
  await pool.query(`update effects set finished_at = finished_at + interval '1 second' where id = $1`, [id]);
  expect((await outcomesIn(pool)).twice).toEqual([id]);
});

test('a lease that only ended does not count as resumed, and one that began again does', async () => {
  const [ended, taken] = effects as [Lease, Lease];
  await pool.query('update effects set lease_token = lease_token + 1 where id = $1', [ended.id]);
  await pool.query('update effects set lease_token = lease_token + 2 where id = $1', [taken.id]);
  expect([...(await takenUp(pool, [taken], 60_000)).keys()]).toEqual([taken.id]);
  expect((await takenUp(pool, [ended], 200)).size).toBe(0);
});
