// Simulates a reconciliation of a large provider in simulated time. The planning of slices, the night's share of the accounts and the
// continuation of pages are the service's own code. The provider is a double that answers a page in a fixed time. Nothing waits.
import {
  ACCOUNTS_OF_A_PAGE,
  nextPosition,
  OBJECTS_OF_A_PAGE,
  shareOfNight,
  slicesOf,
} from '../../src/jobs/reconciliation/windows.ts';
import { CONCURRENCY } from '../../src/jobs/stage.ts';
import type { TimeWindow } from '../../src/provider/port.ts';

export type Load = {
  /** Objects of each list that change per second. */
  perSecond: Record<string, number>;
  /** All home accounts. A night scans a share of them. */
  accounts: number;
  pageMs: number;
  /** Slices that are worked on concurrently, over all processes. */
  workers: number;
  /** The windows of a list. The night before and the days that are listed again have the same rates. */
  windows: Record<string, TimeWindow[]>;
};

export type Night = {
  slices: number;
  pages: number;
  objects: number;
  accounts: number;
  /** How long the slices take, in simulated milliseconds. */
  tookMs: number;
};

/** Works on all slices of all lists and of the accounts, each on the worker that is free first. */
export function simulateNight({ perSecond, accounts, pageMs, workers, windows }: Load): Night {
  const freeAt = Array.from({ length: workers }, () => 0);
  const night: Night = { slices: 0, pages: 0, objects: 0, accounts: 0, tookMs: 0 };
  const work = (pages: number, tookMs: number) => {
    const first = freeAt.indexOf(Math.min(...freeAt));
    freeAt[first] = (freeAt[first] ?? 0) + tookMs;
    night.slices += 1;
    night.pages += pages;
  };
  for (const [list, rate] of Object.entries(perSecond)) {
    for (const slice of (windows[list] ?? []).flatMap(slicesOf)) {
      const { pages, objects } = readSlice(slice, rate);
      work(pages, pages * pageMs);
      night.objects += objects;
    }
  }
  const share = shareOfNight(accounts);
  for (let left = Math.min(share.accounts, accounts); left > 0; left -= share.perSlice) {
    const scanned = Math.min(left, share.perSlice);
    work(scanned, roundsOf(scanned) * pageMs);
    night.accounts += scanned;
  }
  night.tookMs = Math.max(...freeAt);
  return night;
}

/** Calls of a slice of accounts that follow each other. Each account is one page of its movements. */
function roundsOf(accounts: number): number {
  const whole = Math.floor(accounts / ACCOUNTS_OF_A_PAGE);
  const rest = accounts % ACCOUNTS_OF_A_PAGE;
  return whole * Math.ceil(ACCOUNTS_OF_A_PAGE / CONCURRENCY) + Math.ceil(rest / CONCURRENCY);
}

function readSlice(slice: TimeWindow, rate: number): { pages: number; objects: number } {
  let position: ReturnType<typeof nextPosition> = { since: slice.from, after: null };
  const read = { pages: 0, objects: 0 };
  while (position !== null) {
    const page = pageOf(position.since.getTime(), slice.to.getTime(), rate);
    read.pages += 1;
    read.objects += page.times.length;
    position = nextPosition(position, slice, page);
  }
  return read;
}

/** The provider's page: objects at equal distances, each at a whole millisecond. */
function pageOf(since: number, to: number, rate: number): { times: Date[]; next: string | null } {
  const times: Date[] = [];
  const step = 1_000 / rate;
  let nth = Math.ceil(since / step);
  for (; times.length < OBJECTS_OF_A_PAGE && Math.floor(nth * step) < to; nth += 1)
    if (nth * step >= since) times.push(new Date(Math.floor(nth * step)));
  return { times, next: Math.floor(nth * step) < to ? 'more' : null };
}
