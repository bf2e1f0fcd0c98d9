// One run from beginning to end: users pay while primaries are killed and standbys promoted. Then everything comes to rest, each
// acknowledged payment is looked up, and the auditor compares both sides of the books.
import { setTimeout as pause } from 'node:timers/promises';
import { migrateDatabase } from '../../harness/database/query.ts';
import { seconds } from '../../harness/report.ts';
import { createRandom } from '../random.ts';
import type { AtEnd } from '../run-in-folder.ts';
import { type Counts, createCounts } from '../stack/counts.ts';
import { gather, withMoney } from '../stack/people.ts';
import { auditAtRest, quiesce, violationsIn } from '../stack/quiesce.ts';
import { type Stack, startStack } from '../stack/stack.ts';
import { type Acknowledged, acknowledgedIn, missingFrom, withdrawnTwice } from './acknowledged.ts';
import { startArchived } from './archive.ts';
import { type Cluster, startCluster } from './cluster.ts';
import type { Options } from './options.ts';
import { payAtRate } from './pay-at-rate.ts';
import { recover } from './recover.ts';
import { type Round, tablesOf } from './report.ts';

export type Result = { tables: string; violations: string[] };

/** How long users pay before each failover, in milliseconds. */
const PAYS_FOR_MS = { from: 3_000, to: 6_000 };
/** How far behind an asynchronous standby is when its primary dies. */
const LAG_MS = 2_000;
const SERVES_WITHIN_MS = 120_000;
const LOOK_EVERY_MS = 50;
/** What lost rows excuse nothing of: no money moves twice, and recovery leaves nothing without a row. */
const HOLD_AFTER_A_LOSS = new Set([
  'one payout per origin id, one debit per quote',
  'a payment is paid or returned, never both',
  'every object has a row, and every row has its object',
]);
/** How many differences are printed if a failover may lose payments. */
const MAX_SHOWN = 100;

export async function run(options: Options, folder: string, atEnd: AtEnd): Promise<Result> {
  const { successor, failovers, paymentsPerSecond } = options;
  say(`${failovers} failovers, ${paymentsPerSecond} payments a second, ${successor}`);
  const stack = await startOnCluster(successor, folder, atEnd);
  const { orders, urls, sandboxUrl, shown } = stack;
  const counts = createCounts();
  say('people join');
  const people = withMoney(await gather({ urls, sandboxUrl, seed: 0, counts, shown }, options.users));

  say('people pay');
  let isQuiet = false;
  const began = Date.now();
  const paying = payAtRate({ counts, orders, isQuiet: () => isQuiet }, people, paymentsPerSecond);
  const { rounds, notAdopted } = await failOverRepeatedly({ stack, counts, options });
  await pause(PAYS_FOR_MS.from);
  isQuiet = true;
  const lastedMs = Date.now() - began;
  const refused = await paying;

  say(`${counts.accepted.payments} payments were accepted; they come to their ends`);
  const rest = await quiesce(stack, (remaining) => say(`under way: ${remaining}`));
  const acknowledged = acknowledgedIn(orders.file);
  const findings = await auditAtRest(stack, people, rest);
  const missing = await missingFrom(stack.database.url, idsOf(acknowledged));
  const violations = [
    ...notAdopted.map((orphan) => `not adopted: ${orphan}`),
    ...(await withdrawnTwice(stack.database.url)).map((what) => `withdrawn twice: ${what}`),
  ];
  const ofAuditor = violationsIn(findings);
  if (successor !== 'synchronous') {
    for (const what of ofAuditor.slice(0, MAX_SHOWN)) say(what);
    violations.push(...violationsIn(findings.filter(({ invariant }) => HOLD_AFTER_A_LOSS.has(invariant))));
  } else
    violations.push(
      ...missing.map((id) => `payment ${id} was acknowledged and is not there`),
      ...ofAuditor,
      ...refused.map((what) => `a client: ${what}`),
    );
  if (stack.instances.some((instance) => instance.falls() > 0))
    violations.push('the service ended by itself');
  const { repeats } = counts;
  const outcome = { rounds, acknowledged, missing, repeats, refused, findings, violations, lastedMs };
  return { tables: tablesOf(options, outcome), violations };
}

/** Starts one process of the service on a cluster. */
function startOnCluster(
  successor: Options['successor'],
  folder: string,
  atEnd: AtEnd,
): Promise<Stack<Cluster>> {
  let address = '';
  const startDatabase = async (databaseFolder: string): Promise<Cluster> => {
    const cluster =
      successor === 'archive'
        ? await startArchived(databaseFolder, atEnd)
        : await startCluster(databaseFolder, { isSynchronous: successor === 'synchronous' }, atEnd);
    await migrateDatabase(cluster.url);
    await cluster.addStandby();
    address = cluster.url;
    return cluster;
  };
  const envOf = () => ({ DATABASE_URL: address, PROVIDER_TIMEOUT_MS: '10000' });
  return startStack(folder, { processes: 1, startDatabase, envOf }, atEnd);
}

/** @returns each failover, and the resources of the provider that could not be adopted after one. */
async function failOverRepeatedly({
  stack,
  counts,
  options,
}: {
  stack: Stack<Cluster>;
  counts: Counts;
  options: Options;
}): Promise<{ rounds: Round[]; notAdopted: string[] }> {
  const { successor, failovers, paymentsPerSecond } = options;
  const { database: cluster, orders } = stack;
  const lostBefore = new Set<string>();
  const notAdopted: string[] = [];

  const recoverLost = async (lost: string[]): Promise<Pick<Round, 'found' | 'broughtBack'>> => {
    const recovered = await recover(stack, lost);
    notAdopted.push(...recovered.notAdopted);
    const broughtBack = lost.length - (await missingFrom(cluster.url, lost)).length;
    return { found: recovered.found, broughtBack };
  };

  const random = createRandom(0, 'failovers');
  const rounds: Round[] = [];
  for (let nth = 1; nth <= failovers; nth += 1) {
    await pause(random.between(PAYS_FOR_MS.from, PAYS_FOR_MS.to));
    await acceptsPayments(counts, paymentsPerSecond);
    const failover = await cluster.failOver(successor === 'asynchronous' ? { lagMs: LAG_MS } : {});
    const missing = await missingFrom(cluster.url, idsOf(acknowledgedIn(orders.file)));
    const lost = missing.filter((id) => !lostBefore.has(id));
    for (const id of lost) lostBefore.add(id);
    const recovered = successor === 'synchronous' ? {} : await recoverLost(lost);
    rounds.push({ ...failover, lost: lost.length, ...recovered });
    await acceptsPayments(counts, 1);
    await cluster.addStandby();
    say(
      `${nth} of ${failovers}: promoted after ${seconds(failover.promotedAt - failover.killedAt)}, ${lost.length} lost, ${counts.accepted.payments} accepted so far`,
    );
  }
  return { rounds, notAdopted };
}

/** Waits until `count` more payments have been accepted. */
async function acceptsPayments({ accepted }: Counts, count: number): Promise<void> {
  const before = accepted.payments;
  for (const begun = Date.now(); accepted.payments < before + count; await pause(LOOK_EVERY_MS))
    if (Date.now() - begun > SERVES_WITHIN_MS) throw new Error('payments are not accepted after a failover');
}

const say = (what: string): void => console.log(`failover: ${what}`);

const idsOf = (acknowledged: Acknowledged[]): string[] => acknowledged.map(({ id }) => id);
