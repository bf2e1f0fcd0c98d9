// Measures the processor time of two jobs that run here by hand: the comparison with the provider's lists, as every night, and the hashing
// of values under a new search key.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { startOps } from '../../ops/start.ts';
import { reconcile } from '../../src/jobs/reconcile-by-hand.ts';
import { unattended } from '../../src/provider/caller.ts';
import { hashValues } from '../../src/security/hash-values.ts';
import { servicesFor } from '../../src/start/app.ts';
import type { Contender } from './contender.ts';
import { processorSeconds } from './processes.ts';

/** Milliseconds of processor time. */
export type Cost = { serviceMs: number; postgresMs: number };
/** `object` is one payout or one transfer in a page of a list, `account` is one home account, whose movements are read. */
type NightCost = { object: Cost; account: Cost };

/** Runs a reconciliation in this process. Every payer must have been idle for a second. */
export async function measureNight({ folder, stack }: Contender): Promise<NightCost> {
  const { app, close } = await startOps(environmentOf({ folder, stack }));
  const used = new Map<string, Cost>();
  let [stage, before] = ['', usage(folder)];
  const enter = (next: string): void => {
    const now = usage(folder);
    const total = used.get(stage) ?? { serviceMs: 0, postgresMs: 0 };
    used.set(stage, sum(total, costBetween(before, now)));
    [stage, before] = [next, now];
  };
  try {
    const { counts } = await reconcile(servicesFor(app, unattended), {
      onProgress: ({ stage: next }) => enter(next),
    });
    enter('');
    const objects = (counts['payouts scanned'] ?? 0) + (counts['transfers scanned'] ?? 0);
    const lists = sum(used.get('payouts'), used.get('transfers'));
    return {
      object: each(lists, objects),
      account: each(used.get('deposits'), counts['home accounts scanned'] ?? 0),
    };
  } finally {
    await close();
  }
}

/** Hashes every value that operators search for under a new key. */
export async function measureHashing(
  contender: Pick<Contender, 'folder' | 'stack'>,
): Promise<Cost & { values: number }> {
  const former = environmentOf(contender);
  const keys = [randomBytes(32).toString('hex'), former['SEARCH_KEY']].filter(Boolean);
  const { app, close } = await startOps({ ...former, SEARCH_KEY: keys.join(',') });
  try {
    const before = usage(contender.folder);
    const values = await hashValues(app);
    return { ...each(costBetween(before, usage(contender.folder)), values), values };
  } finally {
    await close();
  }
}

/** The service's settings, for a command: the service itself has the port of METRICS_PORT. */
const environmentOf = ({ folder, stack }: Pick<Contender, 'folder' | 'stack'>): NodeJS.Dict<string> => ({
  ...parseEnv(readFileSync(join(folder, 'stack.env'), 'utf8')),
  METRICS_PORT: undefined,
  DATABASE_URL: stack.databaseUrl,
});

export const costBetween = (from: Cost, to: Cost): Cost => ({
  serviceMs: to.serviceMs - from.serviceMs,
  postgresMs: to.postgresMs - from.postgresMs,
});

function usage(folder: string): Cost {
  const { user, system } = process.cpuUsage();
  return { serviceMs: (user + system) / 1_000, postgresMs: processorSeconds(folder).postgres * 1_000 };
}

const sum = (...costs: (Cost | undefined)[]): Cost => ({
  serviceMs: costs.reduce((total, cost) => total + (cost?.serviceMs ?? 0), 0),
  postgresMs: costs.reduce((total, cost) => total + (cost?.postgresMs ?? 0), 0),
});

const each = (cost: Cost | undefined, count: number): Cost => ({
  serviceMs: (cost?.serviceMs ?? Number.NaN) / count,
  postgresMs: (cost?.postgresMs ?? Number.NaN) / count,
});
