// Slices of the provider's lists. Each night plans the slices of the time since the last window and of two earlier days, and processes
// work on them concurrently. A slice ends when everything in it was applied or recorded as unreadable.

import { OutcomeUnknown } from '../../provider/errors.ts';
import type { ListPage, Movement, TimeWindow, WindowRequest } from '../../provider/port.ts';
import { withRetries } from '../../provider/with-retries.ts';
import { applyReported } from '../../reports/apply-reported.ts';
import { recordOutsideWindow, recordUnreadable } from '../../reports/list-findings.ts';
import { unrecordedDeposits } from '../../reports/scan-movements.ts';
import type { Db } from '../../tables/orm.ts';
import { findCursor, movePlannedTo } from '../../tables/provider-cursors/statements.ts';
import { count } from '../counters.ts';
import { forEach, type PagePosition, type PageResult, type StageContext } from '../stage.ts';
import { applyListed, type Listed } from './apply-listed.ts';
import { insertSlice, REPEATED_AFTER_MS } from './slices.ts';
import {
  daysListedAgain,
  isPlannedAhead,
  isWithin,
  nextPosition,
  nextWindow,
  OBJECTS_OF_A_PAGE,
  slicesOf,
} from './windows.ts';

export type SlicedList = 'payouts' | 'transfers' | 'movements';

/** A day before the provider existed. A list that shows an object of it ignores windows. */
const EMPTY_DAY: TimeWindow = { from: new Date(0), to: new Date(86_400_000) };

/**
 * Plans the next slices of a list, in one commit with the time up to which they are planned. Deposits are not listed again, because
 * each night also scans a share of the accounts.
 * @returns null if the provider does not list by time. The whole list must then be scanned.
 */
export async function planWindow(context: StageContext, list: SlicedList): Promise<PageResult | null> {
  const { db, now } = context;
  if (!(await listsByTime(context, list))) return null;
  const plannedTo = (await findCursor(db, { list }))?.plannedTo ?? null;
  if (plannedTo !== null && isPlannedAhead(plannedTo, now)) reportPlannedAhead(context, list, plannedTo);
  const window = nextWindow(plannedTo, now);
  const again = list === 'movements' ? [] : daysListedAgain(now);
  return {
    next: null,
    commit: async (tx: Db) => {
      for (const slice of [...(window ? [window] : []), ...again].flatMap(slicesOf))
        await insertSlice(tx, { run: nameOf(list, slice) });
      if (window) await movePlannedTo(tx, { list, plannedTo: window.to, now });
    },
  };
}

function reportPlannedAhead({ log }: StageContext, list: SlicedList, plannedTo: Date): void {
  log.error(
    { code: 'nightly.planned_ahead', list, plannedTo },
    'a list was planned up to a time that is later than now: the clock of a process or of the database was ahead. The last month is listed again',
  );
}

/**
 * Returns whether the provider lists by time.
 * @throws OutcomeUnknown if the provider does not answer.
 */
export async function listsByTime(context: StageContext, list: SlicedList): Promise<boolean> {
  const ask = async (): Promise<boolean> => {
    try {
      const page = await fetchPage(context, list, { window: EMPTY_DAY, after: null, limit: 1 });
      return page.refs.length === 0 && page.unreadable.length === 0;
    } catch (error) {
      // The provider refuses the parameters, or has no such list.
      if (error instanceof OutcomeUnknown && (error.status === 400 || error.status === 404)) return false;
      throw error;
    }
  };
  return withRetries(ask, context.signal);
}

/**
 * Scans a page of a slice. An object that cannot be applied becomes a slice of its own, so the objects after it do not wait for it. An
 * object with a time outside the window is applied and recorded as a finding.
 * @throws an error if the page cannot be fetched, is not of the slice, or has no object that can be applied. The page is then repeated.
 */
export async function scanListSlice(
  context: StageContext,
  { after, since }: PagePosition,
): Promise<PageResult> {
  const { list, window } = sliceOf(context.run);
  const begin = { since: since === undefined ? window.from : new Date(since), after };
  const rest = { from: begin.since, to: window.to };
  const page = await fetchPage(context, list, { window: rest, after, limit: OBJECTS_OF_A_PAGE });
  const next = nextPosition(begin, window, { times: page.items.map(timeOf), next: page.next });
  // The items of a window have another order than the whole list, so only a scan of the whole list resolves earlier findings.
  const unreadable = await recordUnreadable(
    context,
    { list, accountRef: null },
    { from: after, page, open: [] },
  );
  if (unreadable.gap !== null) throw new OutcomeUnknown('list', 'has an object without a readable id');
  const outside = page.items.filter((item) => !isWithin(rest, timeOf(item)));
  await recordOutsideWindow(
    context,
    outside.map((item) => ({ list, accountRef: accountOf(item), providerRef: refOf(item) })),
  );
  const failed = await apply(context, list, page.items);
  const isShort = window.to.getTime() - window.from.getTime() <= 1;
  if (failed.length > 0 && (isShort || failed.length === page.items.length))
    throw new OutcomeUnknown('list', 'has objects that could not be applied');
  count(context.counters, `${list} scanned`, page.items.length);
  count(context.counters, 'objects unreadable', unreadable.open);
  count(context.counters, 'objects outside their window', outside.length);
  return {
    next: next && { after: next.after, since: next.since.toISOString() },
    commit: async (tx: Db) => {
      for (const item of failed) {
        const run = nameOf(list, momentOf(item));
        await insertSlice(tx, { run, dueInMs: REPEATED_AFTER_MS });
      }
    },
  };
}

type Item = Listed | Movement;

const fetchPage = (
  { provider }: StageContext,
  list: SlicedList,
  request: WindowRequest,
): Promise<ListPage<Item>> => {
  if (list === 'movements') return provider.listCompanyMovements(request);
  return list === 'payouts' ? provider.listPayouts(request) : provider.listTransfers(request);
};

const timeOf = (item: Item): Date => ('snapshot' in item ? item.snapshot.updatedAt : item.createdAt);

const refOf = (item: Item): string => ('snapshot' in item ? item.snapshot.providerRef : item.providerRef);

/** Returns the account of a movement. The other lists belong to no account. */
const accountOf = (item: Item): string | null => ('snapshot' in item ? null : item.accountRef);

/** The shortest window that has the object. */
const momentOf = (item: Item): TimeWindow => ({
  from: timeOf(item),
  to: new Date(timeOf(item).getTime() + 1),
});

/** Returns the items that could not be applied. */
async function apply(context: StageContext, list: SlicedList, items: Item[]): Promise<Item[]> {
  if (list === 'movements')
    return applyMovements(
      context,
      items.filter((item) => 'createdAt' in item),
    );
  const objects = items.filter((item) => 'snapshot' in item);
  const failed = await applyListed(context, list, objects);
  return objects.filter(({ snapshot }) => failed.has(snapshot.providerRef));
}

async function applyMovements(context: StageContext, movements: Movement[]): Promise<Movement[]> {
  const deposits = await unrecordedDeposits(context, movements);
  const failed = new Set(deposits);
  await forEach(context, 'movements', deposits, async (deposit) => {
    const observed = await applyReported(context, deposit, context.cause);
    if (observed === 'applied') count(context.counters, 'deposits recorded');
    failed.delete(deposit);
  });
  return [...failed];
}

const nameOf = (list: SlicedList, window: TimeWindow): string => `${list} ${nameOfWindow(window)}`;

export const nameOfWindow = ({ from, to }: TimeWindow): string => `${from.toISOString()} ${to.toISOString()}`;

function sliceOf(run: string): { list: SlicedList; window: TimeWindow } {
  const [list = '', from = '', to = ''] = run.split(' ');
  return { list: list as SlicedList, window: { from: new Date(from), to: new Date(to) } };
}
