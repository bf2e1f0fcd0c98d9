// The history accepts the states of its row's own lifecycle and no others. The machines define the states. A state that a machine
// gains without a migration that adds it fails here.
import { expect, test } from 'vitest';
import type { MachineName } from '../../machines/machines.ts';
import { states } from '../../machines/states.ts';
import { useOrm } from '../support/use-database.ts';

const database = useOrm(1);

const kinds = Object.keys(states) as MachineName[];
const everyState = [...new Set(Object.values(states).flat())];

const record = (kind: MachineName, from: string | null, to: string) =>
  database.pool.query(
    `insert into transitions (subject_kind, subject_id, seq, user_id, from_state, to_state, event, event_data, cause_kind, cause_id, occurred_at)
     values ($1, gen_random_uuid(), 1, gen_random_uuid(), $2, $3, 'confirmed', '{}', 'request', 'here', now())`,
    [kind, from, to],
  );

test.each(kinds)(
  'the history of a %s begins in, leaves and enters its own states, and no others',
  async (kind) => {
    const own: readonly string[] = states[kind];
    await database.pool.query(`
    create or replace function pg_temp.accepts(kind text, "from" text, "to" text) returns boolean language plpgsql as $$
    declare refused_by text;
    begin
      insert into transitions (subject_kind, subject_id, seq, user_id, from_state, to_state, event, event_data, cause_kind, cause_id, occurred_at)
      values (kind::subject_kind, gen_random_uuid(), 1, gen_random_uuid(), "from", "to", 'confirmed', '{}', 'request', 'here', now());
      return true;
    exception when check_violation then
      get stacked diagnostics refused_by = constraint_name;
      if refused_by <> 'transitions_states_check' then raise; end if;
      return false;
    end $$`);
    const { rows } = await database.pool.query<{ pair: string; isAccepted: boolean }>(
      `select format('%s to %s', coalesce("from", 'nothing'), "to") as pair, pg_temp.accepts($1, "from", "to") as "isAccepted"
     from unnest($2::text[]) "from" cross join unnest($2::text[]) "to"
     where "to" is not null and ("from" is null or "from" = any($3) or "to" = any($3))`,
      [kind, [null, ...everyState, 'unheard_of'], own],
    );
    const accepted = rows.filter(({ isAccepted }) => isAccepted).map(({ pair }) => pair);
    const expected = ['nothing', ...own].flatMap((from) => own.map((to) => `${from} to ${to}`));
    expect(accepted.toSorted()).toEqual(expected.toSorted());
    expect(rows.length).toBeGreaterThan(expected.length + 2 * everyState.length);
  },
);

test('a migration that adds a state rewrites no table, and the next one may use the state', async () => {
  const files = async () =>
    (
      await database.pool.query(
        `select relname, relfilenode from pg_class where relname in ('pix_payments', 'transitions')`,
      )
    ).rows;
  const before = await files();
  await database.pool.query(`alter type pix_payment_state add value 'held' after 'paying'`);
  const { rows } = await database.pool.query<{ definition: string }>(
    `select pg_get_functiondef('is_state_of'::regproc) as definition`,
  );
  await database.pool.query(rows[0]?.definition.replace(`'paying'`, `'paying', 'held'`) ?? '');
  expect(await files()).toEqual(before);
  expect(await record('pix_payment', 'paying', 'held')).toMatchObject({ rowCount: 1 });
});
