// Callbacks that arrive together are stored in one statement. Each is stored once under its identity and processed once.
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { callbackIdOf, newId } from '../../src/domain/ids.ts';
import { createOutbox } from '../../src/outbox/hand-off.ts';
import { bringCallbacksForward } from '../../src/tables/webhook-events/statements.ts';
import { createCallbackStore, type StoredCallback } from '../../src/webhooks/store.ts';
import { createUnownedTurns } from '../../src/webhooks/unowned.ts';
import { type BareEngine, createBareEngine, deleteWork, insertDuePoll } from '../outbox/bare-engine.ts';
import { byTable } from '../support/by-table.ts';
import { until } from '../support/until.ts';
import { useDatabase } from '../support/use-database.ts';

const database = useDatabase();
let one: BareEngine;
let other: BareEngine;

beforeEach(async () => {
  one = await createBareEngine(database.url);
  other = await createBareEngine(database.url);
});
afterEach(async () => {
  await Promise.all([one.close(), other.close()]);
  const admin = await createBareEngine(database.url);
  await deleteWork(admin);
  await admin.close();
});

const identityOf = (name: string): Buffer => createHash('sha256').update(name).digest();

/** A callback as a process receives it. Its id is the same each time. */
const callback = (
  name: string,
  isMapped = true,
  names: StoredCallback['names'] = { providerRef: null, handle: null },
): StoredCallback => ({
  id: callbackIdOf('a provider', identityOf(name)),
  provider: 'a provider',
  identity: identityOf(name),
  eventType: 'payout.completed',
  payloadSealed: Buffer.from('sealed'),
  receivedAt: new Date(),
  isMapped,
  names,
  payload: Buffer.from('{}'),
  announcedAt: null,
});

const storeIn = ({ db, outbox }: BareEngine) => createCallbackStore(db, outbox, createUnownedTurns());

const storedIn = ({ db }: BareEngine) => byTable(db).selectFrom('webhook_events').selectAll().execute();

/** Waits until every stored callback is processed. @returns how many there are. */
async function processed(): Promise<number> {
  const all = await until(
    async () => {
      await Promise.all([one.tick(), other.tick()]);
      return storedIn(one);
    },
    (events) => events.every(({ due_at: due }) => due === null),
  );
  return all.length;
}

const begun = () => [...one.begun, ...other.begun].map(({ id }) => id);

test('two processes that store the same callbacks in opposite order do not deadlock', async () => {
  // Slow inserts, so that each process is in the middle while the other begins.
  await sql`create function slow() returns trigger language plpgsql as
    $$ begin perform pg_sleep(0.02); return new; end $$`.execute(one.db);
  await sql`create trigger slow before insert on webhook_events for each row execute function slow()`.execute(
    one.db,
  );
  try {
    const names = Array.from({ length: 30 }, (_, nth) => `callback ${nth}`);
    const [storeInOne, storeInOther] = [storeIn(one), storeIn(other)];
    await Promise.all([
      ...names.map((name) => storeInOne(callback(name))),
      ...names.toReversed().map((name) => storeInOther(callback(name))),
    ]);
    expect(await processed()).toBe(names.length);
    expect(begun()).toHaveLength(names.length);
    expect(new Set(begun()).size).toBe(names.length);
  } finally {
    await sql`drop trigger slow on webhook_events`.execute(one.db);
  }
});

test('a callback that arrives many times at two processes is stored and processed once', async () => {
  const [storeInOne, storeInOther] = [storeIn(one), storeIn(other)];
  const again = () => [storeInOne(callback('the same')), storeInOther(callback('the same'))];
  await Promise.all(Array.from({ length: 10 }, again).flat());
  expect(await processed()).toBe(1);
  await Promise.all(again());
  expect(await processed()).toBe(1);
  expect(begun()).toEqual((await storedIn(one)).map(({ id }) => id));
});

test('a callback that nothing uses keeps one payload and counts once if it arrives twice at the same moment', async () => {
  const seen: string[] = [];
  const observer = { unknownStored: (kind: string) => seen.push(kind), arrived: () => undefined };
  const store = createCallbackStore(one.db, one.outbox, createUnownedTurns(), observer);
  // The first write is under way while the others arrive, so that these are stored together.
  await Promise.all([callback('first'), callback('twice', false), callback('twice', false)].map(store));
  const payloads = await byTable(one.db)
    .selectFrom('webhook_payloads')
    .select('event_id')
    .where('event_id', '=', callback('twice').id)
    .execute();
  expect(payloads).toHaveLength(1);
  expect(seen.filter((kind) => kind === 'unmapped')).toEqual(['unmapped']);
});

test('a callback begins from memory without being claimed, and repetitions leave its room to others', async () => {
  const store = storeIn(one);
  await store(callback('first'));
  for (let times = 0; times < 50; times += 1) await store(callback('first'));
  const next = callback('next');
  await store(next);
  await until(
    async () => one.begun.length,
    (count) => count === 2,
  );
  expect(one.begun[1]).toMatchObject({ kind: 'callback', id: next.id, token: 1 });
  expect(one.begun[1]?.committed).toMatchObject({ callback: { id: next.id }, payload: next.payload });
});

test('callbacks that the database refuses to store leave their room to others', async () => {
  const store = storeIn(one);
  await sql`create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'refused'; end $$`.execute(one.db);
  await sql`create trigger refuse before insert on webhook_events for each row execute function refuse()`.execute(
    one.db,
  );
  try {
    for (let times = 0; times < 50; times += 1)
      await expect(store(callback('refused'))).rejects.toThrow('refused');
  } finally {
    await sql`drop trigger refuse on webhook_events`.execute(one.db);
  }
  const next = callback('next');
  const { letGo } = one.hold(() => true);
  await store(next);
  const stored = await storedIn(one);
  letGo();
  expect(stored).toMatchObject([{ id: next.id, leased_by: one.owner(), lease_token: 1 }]);
});

test('a callback that is not mapped is stored, and no work begins for it', async () => {
  await Promise.all([storeIn(one)(callback('unmapped', false)), storeIn(one)(callback('mapped'))]);
  expect(await processed()).toBe(2);
  const all = await storedIn(one);
  expect(begun()).toEqual(all.filter(({ status }) => status === 'applied').map(({ id }) => id));
  expect(all.map(({ status }) => status).toSorted()).toEqual(['applied', 'ignored']);
});

test.each([
  ['the provider’s id of its resource', ({ provider_ref: providerRef }) => ({ providerRef, handle: null })],
  ['our handle, before the provider’s id is known', ({ handle }) => ({ providerRef: newId(), handle })],
] satisfies [string, (resource: Resource) => StoredCallback['names']][])(
  'a callback is stored with the user who is found by %s, and begins for that user',
  async (_how, namesOf) => {
    const resource = await resourceIn(one);
    const { letGo } = one.hold(() => true);
    const named = callback('named', true, namesOf(resource));
    await storeIn(one)(named);
    await until(
      async () => one.begun.length,
      (count) => count === 1,
    );
    expect(one.begun).toMatchObject([{ id: named.id, userId: resource.user_id }]);
    expect(await storedIn(one)).toMatchObject([{ user_id: resource.user_id }]);
    letGo();
    await processed();
  },
);

test('a callback that names none of our resources is stored without a user', async () => {
  await resourceIn(one);
  await storeIn(one)(callback('unknown', true, { providerRef: newId(), handle: newId() }));
  await processed();
  expect(one.begun).toMatchObject([{ userId: null }]);
});

test('callbacks that name none of our resources are planned for turns, and a reconciliation leaves them there', async () => {
  const turns = createUnownedTurns(() => 0);
  // Without an engine, no callback begins from memory.
  const store = createCallbackStore(one.db, createOutbox(), turns);
  const { handle, user_id } = await resourceIn(one);
  const unknown = ['first', 'second', 'third'].map((name) => store(callback(name)));
  await Promise.all([...unknown, store(callback('named', true, { providerRef: null, handle }))]);
  expect(turns.lastInMs()).toBe(3_000);
  expect(await bringCallbacksForward(one.db, {})).toBe(0);
  const { rows } = await sql`
    select user_id,
      case when user_id is null then due_at - lag(due_at) over (partition by user_id order by due_at) >= interval '1 second'
        else due_at <= now() end as "isPlanned"
    from webhook_events order by user_id, due_at`.execute(one.db);
  expect(rows).toEqual([
    { user_id, isPlanned: true },
    ...[null, true, true].map((isPlanned) => ({ user_id: null, isPlanned })),
  ]);
});

test('only the first arrival of a callback of ours tells its age', async () => {
  const { handle } = await resourceIn(one);
  const ages: number[] = [];
  const store = createCallbackStore(one.db, createOutbox(), createUnownedTurns(), {
    unknownStored: () => undefined,
    arrived: (ageMs) => ages.push(ageMs),
  });
  const receivedAt = new Date();
  const aged = (name: string, ageMs: number, names: StoredCallback['names']): StoredCallback => ({
    ...callback(name, true, names),
    receivedAt,
    announcedAt: new Date(receivedAt.getTime() - ageMs),
  });
  const ours = { providerRef: null, handle };
  await store(aged('ours', 300, ours));
  await store(aged('ours', 90_000, ours));
  await store(aged('unknown', 70_000, { providerRef: newId(), handle: newId() }));
  await store(callback('without a time', true, ours));
  expect(ages).toEqual([300]);
});

type Resource = { handle: string; provider_ref: string; user_id: string };

async function resourceIn(engine: BareEngine): Promise<Resource> {
  await insertDuePoll(engine, new Date(Date.now() + 3_600_000));
  const provider_ref = newId();
  const { handle, user_id } = await byTable(engine.db)
    .updateTable('provider_resources')
    .set({ provider_ref })
    .returning(['handle', 'user_id'])
    .executeTakeFirstOrThrow();
  return { handle, provider_ref, user_id };
}
