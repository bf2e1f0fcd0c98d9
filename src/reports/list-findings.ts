// Records the objects of the provider's lists that a scan could not read, each of them once. A finding is resolved when its object
// can be read. A finding that an operator has closed is not reopened.

import { parse, v5 as uuidV5 } from 'uuid';
import type { Clock } from '../domain/clock.ts';
import { OutcomeUnknown } from '../provider/errors.ts';
import type { ListPage } from '../provider/port.ts';
import { recordFinding, resolveOpenFindings } from '../tables/list-findings/statements.ts';
import type { Db } from '../tables/orm.ts';
import type { Entity } from '../tables/rows.ts';

export type ScannedList = Pick<Entity<'ListFinding'>, 'list' | 'accountRef'>;
export type ListFinding = Entity<'ListFinding'>;

export const READABLE = 'It can be read since.';

const namespace = parse('6c0f4f0e-2f0b-4e53-9f6a-6f6f8a4f2a6d');

export type RecordedPage = {
  /** The number of findings of the page that are new or still open. */
  open: number;
  /**
   * The number of readable items before the first open finding without a uuid. Null if there is none. A cursor must not advance
   * past that position.
   */
  gap: number | null;
};

/** Records the unreadable items of a page, and resolves earlier findings without a uuid that can be read now. */
export async function recordUnreadable(
  { db, clock }: { db: Db; clock: Clock },
  scanned: ScannedList,
  { from, page, open }: { from: string | null; page: ListPage<unknown>; open: ListFinding[] },
): Promise<RecordedPage> {
  const recorded = await Promise.all(
    page.unreadable.map(async (item) => {
      const { providerRef, position, why: reason } = item;
      const finding = { ...scanned, kind: 'unreadable', providerRef, position, reason } as const;
      return { item, isOpen: await record({ db, clock }, finding) };
    }),
  );
  const still = recorded.filter(({ isOpen }) => isOpen);
  const places = new Set([from, ...(page.next === null ? page.refs : page.refs.slice(0, -1))]);
  const readable = open.filter(
    ({ kind, providerRef, position }) =>
      kind === 'unreadable' &&
      providerRef === null &&
      places.has(position) &&
      !page.unreadable.some((item) => item.providerRef === null && item.position === position),
  );
  await resolveFindings({ db, clock }, readable);
  const first = still.find(({ item }) => item.providerRef === null);
  return { open: still.length, gap: first?.item.index ?? null };
}

/**
 * Records the objects that a list shows in a window although their times are outside it. Their uuids are fetched again like those of
 * unreadable objects, because the list may also have left out others.
 */
export async function recordOutsideWindow(
  { db, clock }: { db: Db; clock: Clock },
  objects: Pick<ListFinding, 'list' | 'accountRef' | 'providerRef'>[],
): Promise<void> {
  const reason = 'its time is outside the requested window';
  for (const object of objects)
    await record({ db, clock }, { ...object, kind: 'unreadable', position: null, reason });
}

/**
 * Records that the cursors of a list go in a circle, so the rest of the list cannot be scanned.
 * @throws OutcomeUnknown always, to end the scan of the list.
 */
export async function endInCircle(
  { db, clock }: { db: Db; clock: Clock },
  scanned: ScannedList,
): Promise<never> {
  const reason = 'its cursors go in a circle';
  const finding = { ...scanned, kind: 'cursor_circle', providerRef: null, position: null, reason } as const;
  await record({ db, clock }, finding);
  throw new OutcomeUnknown('list', reason);
}

/** Resolves the finding that the cursors of a list go in a circle. Called when a scan has reached the end of the list. */
export const resolveCircle = ({ db, clock }: { db: Db; clock: Clock }, open: ListFinding[]): Promise<void> =>
  resolveFindings(
    { db, clock },
    open.filter(({ kind }) => kind === 'cursor_circle'),
  );

export async function resolveFindings(
  { db, clock }: { db: Db; clock: Clock },
  findings: ListFinding[],
): Promise<void> {
  if (findings.length === 0) return;
  await resolveOpenFindings(db, {
    ids: findings.map(({ id }) => id),
    resolvedAt: clock.now(),
    resolution: READABLE,
  });
}

type NewFinding = Pick<ListFinding, 'kind' | 'list' | 'accountRef' | 'providerRef' | 'position' | 'reason'>;

/**
 * Records a finding. It stays closed if an operator has closed it. It is reopened if it was resolved because it could be read.
 * @returns whether the finding is open.
 */
async function record({ db, clock }: { db: Db; clock: Clock }, finding: NewFinding): Promise<boolean> {
  const recorded = await recordFinding(db, {
    id: findingIdOf(finding),
    ...finding,
    foundAt: clock.now(),
    reopened: READABLE,
  });
  if (!recorded) throw new Error('an upsert without a row');
  return recorded.resolvedAt === null;
}

/** Derives a finding's id: from the object's uuid, or from its position in the list if it has no readable uuid. */
export function findingIdOf({ kind, list, accountRef, ...place }: Omit<NewFinding, 'reason'>): string {
  const { providerRef, position } = place;
  const object = providerRef === null ? `after ${position}` : `object ${providerRef}`;
  return uuidV5(`${list} ${accountRef} ${kind === 'cursor_circle' ? 'circle' : object}`, namespace);
}
