// The one handler of everything the provider tells us, whether by reply, callback or look-up: finds whose resource it is
// by our own handle, refuses what is not newer than what we know, and advances the row it belongs to.
import { sql } from 'kysely';
import type { App } from '../app.ts';
import { dropBalance } from '../balance/drop.ts';
import type { Db } from '../database/orm.ts';
import { eventOf } from '../provider/events.ts';
import type { Snapshot } from '../provider/port.ts';
import { nextCheckAt } from './checks.ts';
import { contradictedState, recordDiscrepancy } from './discrepancies.ts';
import { factsOf } from './facts.ts';
import type { Cause } from './lifecycle.ts';
import type { Resource } from './resource.ts';
import { subjectOf } from './subjects.ts';

/** `unmatched`: no row of ours ordered it. `refused`: it contradicts the row, and is recorded. `stale`: we know newer. */
export type Observation = 'applied' | 'nothing_new' | 'stale' | 'refused' | 'unmatched';

/** What is to be written in the same commit, if the snapshot finds its row. */
export type Alongside = (tx: Db, observation: Exclude<Observation, 'unmatched'>) => Promise<void>;

export async function observe(
  app: Pick<App, 'db' | 'clock' | 'sealer'>,
  snapshot: Snapshot,
  cause: Cause,
  alongside?: Alongside,
): Promise<Observation> {
  const known = await app.db
    .selectFrom('provider_resources')
    .selectAll()
    .where('handle', '=', handleOf(snapshot))
    .executeTakeFirst();
  if (!known || known.kind !== snapshot.kind) return 'unmatched';
  // Sealing may have to load a key, so it comes before the transaction and its locks.
  const facts = await factsOf(app.sealer, known, snapshot);
  return app.db.transaction().execute(async (tx) => {
    const observation = await apply(tx, known, snapshot, facts, cause, app.clock.now());
    if (observation !== 'unmatched') await alongside?.(tx, observation);
    return observation;
  });
}

async function apply(
  tx: Db,
  known: Resource,
  snapshot: Snapshot,
  facts: Awaited<ReturnType<typeof factsOf>>,
  cause: Cause,
  now: Date,
): Promise<Observation> {
  const [subject, resource] = await Promise.all([
    subjectOf(tx, known, snapshot),
    lockResource(tx, known.handle),
  ]);
  if (!subject) return 'unmatched';
  const event = eventOf(snapshot);
  const isFinal = event !== null && !mayBeOverturned(snapshot);
  if (resource.snapshot_at !== null && snapshot.updatedAt <= resource.snapshot_at) {
    const isKnownEnd = isFinal && snapshot.updatedAt.getTime() === resource.snapshot_at.getTime();
    if (isKnownEnd && resource.check_at !== null) await stopChecking(tx, resource.handle);
    return 'stale';
  }
  const taken = event === null ? 'nothing' : await subject.advance(event, cause, now);
  const refused = typeof taken === 'object' ? taken : null;
  const isNew = resource.provider_ref === null;
  await Promise.all([
    // What comes with refused news is not taken for a fact either.
    !refused && subject.record(facts.subject),
    changesHomeBalance(resource, snapshot) && dropBalance(tx, known.user_id),
    tx
      .updateTable('provider_resources')
      .set({
        ...(isNew && debitsHome(resource) && { debited_at_version: balanceVersion(known.user_id) }),
        provider_ref: snapshot.providerRef,
        check_at: isFinal ? null : nextCheckAt(resource.checks, now),
        // What was refused was not applied: should the row come to allow it, it must not be taken for old news.
        ...(!refused && { snapshot_at: snapshot.updatedAt }),
        ...facts.resource,
      })
      .where('handle', '=', known.handle)
      .execute(),
    refused?.news &&
      recordDiscrepancy(tx, known, contradictedState(refused.news, refused.state, snapshot), cause, now),
  ]);
  if (refused) return 'refused';
  return taken === 'accepted' ? 'applied' : 'nothing_new';
}

/** As the statement before has left it. */
const balanceVersion = (userId: string) =>
  sql<number>`(select balance_version from users where id = ${userId}::uuid)`;

async function stopChecking(tx: Db, handle: string): Promise<void> {
  await tx.updateTable('provider_resources').set({ check_at: null }).where('handle', '=', handle).execute();
}

async function lockResource(tx: Db, handle: string): Promise<Resource> {
  return tx
    .selectFrom('provider_resources')
    .selectAll()
    .where('handle', '=', handle)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
}

// A refused verification can be approved later, and no callback will say so.
const mayBeOverturned = (snapshot: Snapshot): boolean =>
  snapshot.kind === 'owner' && snapshot.status === 'failed';

/**
 * Whether the home account has just been debited or credited: by the start of what takes from it, by that being undone,
 * and by the way back. A payout in reais moves other money.
 */
function changesHomeBalance(resource: Resource, snapshot: Snapshot): boolean {
  if (snapshot.kind !== 'transfer' && snapshot.kind !== 'payout') return false;
  if (resource.leg === 'reverse') return snapshot.status === 'completed';
  if (!debitsHome(resource)) return false;
  return resource.provider_ref === null || (snapshot.status !== 'pending' && snapshot.status !== 'completed');
}

/** What takes its money from the home account the moment it exists. */
const debitsHome = ({ leg, subject_kind: kind }: Resource): boolean =>
  leg === 'direct' || leg === 'leg1' || kind === 'withdraw';

// Somebody else's handle may be any text; ours are uuids, and only those can be looked up as such.
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const handleOf = ({ handle }: Snapshot): string =>
  uuid.test(handle) ? handle.toLowerCase() : '00000000-0000-0000-0000-000000000000';
