// Leases of a dead process end once, however many processes declare it dead concurrently. Work of every kind is due again.
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { newId } from '../../src/domain/ids.ts';
import { releaseOrphanedLeases, takeOver } from '../../src/outbox/leases.ts';
import { byTable } from '../support/by-table.ts';
import { until } from '../support/until.ts';
import { effectsIn, insertDueEffect } from './bare-engine.ts';
import { useBareEngine } from './use-bare-engine.ts';

const EFFECTS = 200;
const NOW = new Date('2026-11-22T12:00:00Z');

const { engine } = useBareEngine();
let dead: string;

beforeEach(async () => {
  dead = newId();
  await register(dead);
});

const register = (id: string) =>
  byTable(engine.db)
    .insertInto('processes')
    .values({ id, name: 'of a test', heartbeat: 7, started_at: NOW, heartbeat_at: NOW })
    .execute();

const takeOverDead = () => takeOver(engine.db, { id: dead, heartbeat: 7 });

async function leaseOfEachKind(owner: string): Promise<void> {
  const lease = { leased_by: owner, lease_token: 1 };
  await insertDueEffect(engine);
  await byTable(engine.db).updateTable('effects').set(lease).where('leased_by', 'is', null).execute();
  await byTable(engine.db)
    .insertInto('webhook_events')
    .values({
      id: newId(),
      provider: 'a provider',
      identity: randomBytes(32),
      event_type: 'payout.completed',
      payload_sealed: Buffer.from('sealed'),
      received_at: NOW,
      due_at: NOW,
      ...lease,
    })
    .execute();
  await byTable(engine.db)
    .insertInto('provider_resources')
    .values({
      handle: newId(),
      kind: 'payout',
      user_id: newId(),
      subject_kind: 'pix_payment',
      subject_id: newId(),
      next_poll_at: NOW,
      created_at: NOW,
      ...lease,
    })
    .execute();
}

async function leases(): Promise<string[]> {
  const { rows } = await sql<{ lease: string }>`
    select kind || ': ' || coalesce(leased_by::text, 'none') || ', ' || lease_token as lease from (
      select 'effect' as kind, leased_by, lease_token from effects
      union all select 'callback', leased_by, lease_token from webhook_events
      union all select 'poll', leased_by, lease_token from provider_resources
    ) as work order by kind, leased_by nulls first`.execute(engine.db);
  return rows.map(({ lease }) => lease);
}

test('when several processes take over a dead one concurrently, one of them removes its row and each lease ends once', async () => {
  for (let due = 0; due < EFFECTS; due += 1) await insertDueEffect(engine);
  await byTable(engine.db).updateTable('effects').set({ leased_by: dead, lease_token: 1 }).execute();
  const removed = await Promise.all(Array.from({ length: 4 }, takeOverDead));
  expect(removed.filter(Boolean)).toHaveLength(1);
  const states = (await effectsIn(engine)).map(
    ({ leased_by, lease_token, attempts, last_unknown_at: sentAt }) =>
      `${leased_by}, ${lease_token}, ${attempts}, ${sentAt instanceof Date}`,
  );
  expect(states).toHaveLength(EFFECTS);
  expect(new Set(states)).toEqual(new Set(['null, 2, 1, true']));
});

test('work of a dead process is due again, whatever its kind, and runs in another process', async () => {
  await leaseOfEachKind(dead);
  await takeOverDead();
  expect(await leases()).toEqual(['callback: none, 2', 'effect: none, 2', 'poll: none, 2']);
  await until(
    async () => {
      await engine.tick();
      return engine.begun.length;
    },
    (count) => count === 3,
  );
  expect(engine.begun.map(({ kind }) => kind).toSorted()).toEqual(['callback', 'effect', 'poll']);
  expect(engine.begun.every(({ token }) => token === 3)).toBe(true);
});

test('leases of a registered process stay, and those of an unregistered process end', async () => {
  const alive = newId();
  await register(alive);
  await leaseOfEachKind(alive);
  await leaseOfEachKind(newId());
  await releaseOrphanedLeases(engine.db);
  expect(await leases()).toEqual(
    ['callback', 'effect', 'poll'].flatMap((kind) => [`${kind}: none, 2`, `${kind}: ${alive}, 1`]),
  );
});

test('a process that has written a newer heartbeat keeps its work when another one declares it dead', async () => {
  await leaseOfEachKind(dead);
  await byTable(engine.db).updateTable('processes').set({ heartbeat: 8 }).execute();
  expect(await takeOverDead()).toBe(false);
  expect(await leases()).toEqual([`callback: ${dead}, 1`, `effect: ${dead}, 1`, `poll: ${dead}, 1`]);
});
