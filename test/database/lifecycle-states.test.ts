// The history accepts the states of its row's own lifecycle and no others. The machines define the states. A state that a machine
// gains without a migration that adds it fails here.
import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MachineName } from '../../machines/machines.ts';
import { states } from '../../machines/states.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.url, 1);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const kinds = Object.keys(states) as MachineName[];
const everyState = [...new Set(Object.values(states).flat())];
const refused = 'new row for relation "transitions" violates check constraint "transitions_states_check"';

const record = (kind: MachineName, from: string | null, to: string) =>
  pool.query(
    `insert into transitions (subject_kind, subject_id, seq, user_id, from_state, to_state, event, event_data, cause_kind, cause_id, occurred_at)
     values ($1, gen_random_uuid(), 1, gen_random_uuid(), $2, $3, 'confirmed', '{}', 'request', 'here', now())`,
    [kind, from, to],
  );

describe.each(kinds)('the history of a %s', (kind) => {
  const own: readonly string[] = states[kind];
  const foreign = everyState.filter((state) => !own.includes(state));

  test.each(own)('the history may begin in %s, enter it and leave it', async (state) => {
    for (const from of [null, ...own]) expect(await record(kind, from, state)).toMatchObject({ rowCount: 1 });
  });

  test.each([...foreign, 'unheard_of'])('the history can neither enter nor leave %s', async (state) => {
    for (const of of own) {
      await expect(record(kind, of, state)).rejects.toThrow(refused);
      await expect(record(kind, state, of)).rejects.toThrow(refused);
    }
    await expect(record(kind, null, state)).rejects.toThrow(refused);
  });
});

test('a migration that adds a state rewrites no table, and the next one may use the state', async () => {
  const files = async () =>
    (
      await pool.query(
        `select relname, relfilenode from pg_class where relname in ('pix_payments', 'transitions')`,
      )
    ).rows;
  const before = await files();
  await pool.query(`alter type pix_payment_state add value 'held' after 'paying'`);
  const { rows } = await pool.query<{ definition: string }>(
    `select pg_get_functiondef('is_state_of'::regproc) as definition`,
  );
  await pool.query(rows[0]?.definition.replace(`'paying'`, `'paying', 'held'`) ?? '');
  expect(await files()).toEqual(before);
  expect(await record('pix_payment', 'paying', 'held')).toMatchObject({ rowCount: 1 });
});
