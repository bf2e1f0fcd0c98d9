// Starts an engine without a service around it, on a real database. The test calls its ticks and decides how each piece of work
// ends.
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { systemClock } from '../../src/domain/clock.ts';
import { newId } from '../../src/domain/ids.ts';
import { createEngine, type Engine } from '../../src/outbox/engine.ts';
import { enqueueEffect, type NewEffect, type PlainEffect } from '../../src/outbox/enqueue.ts';
import { createOutbox, type Outbox, transaction } from '../../src/outbox/hand-off.ts';
import { assertLeased } from '../../src/outbox/leases.ts';
import type { Work, WorkHandler } from '../../src/outbox/work.ts';
import { type Deadlines, servingDeadlines } from '../../src/platform/database/deadlines.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { createOrm, type Db, dbOf } from '../../src/tables/orm.ts';
import type { WorkKind } from '../../src/tables/work.ts';
import { byTable } from '../support/by-table.ts';
import { watchedLog } from '../support/leak-watch.ts';

export type BareEngine = Engine & {
  db: Db;
  outbox: Outbox;
  owner: () => string;
  /** All work that a handler has begun, in order. */
  begun: Work[];
  /** How long each piece of work was due before it started, in order. */
  waits: { kind: WorkKind; seconds: number }[];
  /** Lets the selected work begin but not end, until the test calls `letGo` or `fail`. It may wait for the provider meanwhile. */
  hold: (
    isMeant: (work: Work) => boolean,
    where?: 'here' | 'at the provider',
  ) => { letGo: () => void; fail: () => void };
  /** The types of effects that operators have paused. */
  paused: Set<string>;
  /** The age of the last heartbeat. Tests set it. */
  heartbeat: { ageMs: number };
  /** Acts as if another process had declared this one dead: the engine gets a new id and forgets its work. */
  replace: () => void;
  close: () => Promise<void>;
};

export type BareEngineOptions = { concurrency?: number; deadlines?: Deadlines };

export async function createBareEngine(
  databaseUrl: string,
  { concurrency = 8, deadlines = servingDeadlines }: BareEngineOptions = {},
): Promise<BareEngine> {
  const db = dbOf(await createOrm(createPool(databaseUrl, 5, deadlines)));
  const begun: Work[] = [];
  const waits: BareEngine['waits'] = [];
  const paused = new Set<string>();
  const heartbeat = { ageMs: 0 };
  const holds: { isMeant: (work: Work) => boolean; ended: Promise<unknown>; where: string }[] = [];
  let owner = newId();

  const handler: WorkHandler = async (work, whileCalling) => {
    begun.push(work);
    const hold = holds.find(({ isMeant }) => isMeant(work));
    if (hold?.where === 'at the provider') await whileCalling(() => hold.ended);
    else await hold?.ended;
    await finish(db, work);
  };
  const engine = createEngine({
    db,
    log: watchedLog(),
    clock: systemClock,
    config: { workerConcurrency: concurrency, processDeadAfterMs: 10_000 },
    heartbeat: { owner: () => owner, ageMs: () => heartbeat.ageMs },
    waited: (kind, seconds) => void waits.push({ kind, seconds }),
    handlers: { effect: handler, callback: handler, poll: handler, page: handler },
    pausedTypes: async () => paused,
    failingOperations: () => [],
  });
  const outbox = createOutbox();
  outbox.attach(engine.handOffTarget);

  return {
    ...engine,
    db,
    outbox,
    owner: () => owner,
    begun,
    waits,
    hold: (isMeant, where = 'here') => {
      const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
      ended.catch(() => undefined);
      const hold = { isMeant, ended, where };
      holds.push(hold);
      const end = (settle: () => void) => (): void => {
        holds.splice(holds.indexOf(hold), 1);
        settle();
      };
      return { letGo: end(resolve), fail: end(() => reject(new Error('no answer of the database'))) };
    },
    paused,
    heartbeat,
    replace: () => {
      owner = newId();
      engine.forgetAll();
    },
    close: async () => {
      await engine.stop(10_000);
      await db.destroy();
    },
  };
}

/** Records that the work is finished. @throws LeaseLost if the row has a newer lease. */
async function finish(db: Db, { kind, id, token }: Work): Promise<void> {
  if (kind === 'page') throw new Error('this engine runs no nightly pages');
  const tables = { effect: sql`effects`, callback: sql`webhook_events`, poll: sql`provider_resources` };
  const done = {
    effect: sql`status = 'done', due_at = null`,
    callback: sql`status = 'applied', due_at = null, user_id = null`,
    poll: sql`next_poll_at = null`,
  };
  const { numAffectedRows = 0n } = await sql`
    update ${tables[kind]} set ${done[kind]}, leased_by = null
    where ${kind === 'poll' ? sql`handle` : sql`id`} = ${id} and lease_token = ${token}`.execute(db);
  assertLeased(kind, id, Number(numAffectedRows));
}

type Ordered = {
  userId?: string;
  effect?: NewEffect['effect'];
  urgentForMs?: number;
};

const VALIDATION: PlainEffect = { type: 'validateBankDetails' };

/** An urgent conversion: its quote has not expired. */
export const CONVERSION = {
  effect: { type: 'startConversion', params: { leg: 'direct' } },
  urgentForMs: 60_000,
} as const satisfies Ordered;

function newEffect({ userId = newId(), effect = VALIDATION, urgentForMs }: Ordered): NewEffect {
  const now = new Date();
  return {
    subject: { kind: 'bank_details', id: newId(), userId, seq: 1 },
    effect,
    resource: null,
    urgentUntil: urgentForMs === undefined ? null : new Date(now.getTime() + urgentForMs),
    now,
  };
}

/** Commits an effect as a request does, so that this process hands it off. */
export const commitEffect = (engine: BareEngine, ordered: Ordered = {}): Promise<void> =>
  transaction(engine, (tx) => enqueueEffect(tx, newEffect(ordered)));

/** Commits an effect as another process does, so that it is due and has no lease. */
export const insertDueEffect = ({ db }: BareEngine, ordered: Ordered = {}): Promise<void> =>
  transaction({ db, outbox: createOutbox() }, (tx) => enqueueEffect(tx, newEffect(ordered)));

/** The engine looks for work that was due long before only once a minute. */
const justNow = (): Date => new Date(Date.now() - 1_000);

/** Inserts a callback that is due and has no lease. */
export const insertDueCallback = ({ db }: BareEngine, dueAt = justNow(), userId: string | null = newId()) =>
  byTable(db)
    .insertInto('webhook_events')
    .values({
      id: newId(),
      provider: 'a provider',
      identity: randomBytes(32),
      event_type: 'payout.completed',
      payload_sealed: Buffer.from('sealed'),
      received_at: new Date(),
      due_at: dueAt,
      user_id: userId,
    })
    .execute();

export const insertDuePoll = ({ db }: BareEngine, dueAt = justNow(), userId = newId()) =>
  byTable(db)
    .insertInto('provider_resources')
    .values({
      handle: newId(),
      kind: 'payout',
      user_id: userId,
      subject_kind: 'pix_payment',
      subject_id: newId(),
      next_poll_at: dueAt,
      created_at: new Date(),
    })
    .execute();

/** All effects, in the order in which they were committed. */
export const effectsIn = ({ db }: BareEngine) =>
  byTable(db).selectFrom('effects').selectAll().orderBy('created_at').orderBy('id').execute();

export async function deleteWork({ db }: BareEngine): Promise<void> {
  for (const table of ['effects', 'webhook_events', 'provider_resources', 'processes'] as const)
    await byTable(db).deleteFrom(table).execute();
}
