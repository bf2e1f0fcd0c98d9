// One run from beginning to end: users pay while primaries are killed and standbys promoted. Then everything comes to rest, each
// acknowledged payment is looked up, and the auditor compares both sides of the books.
import { setTimeout as pause } from 'node:timers/promises';
import { audit } from '../audit/audit.ts';
import { type Counts, createCounts } from '../chaos/counts.ts';
import { migrated } from '../chaos/database.ts';
import { readEverything } from '../chaos/final-reading.ts';
import { quiesce, stopProvider } from '../chaos/quiesce.ts';
import { startStack } from '../chaos/stack.ts';
import { gather, withMoney } from '../chaos/workload.ts';
import { createRandom } from '../random.ts';
import type { AtEnd } from '../run-in-folder.ts';
import { type Acknowledged, acknowledgedIn, missingFrom } from './acknowledged.ts';
import { type Cluster, startCluster } from './cluster.ts';
import type { Options } from './options.ts';
import { payAtRate } from './pay-at-rate.ts';
import { recover } from './recover.ts';
import { type Round, seconds, tablesOf } from './report.ts';

export type Result = { tables: string; violations: string[] };

/** How long users pay before each failover, in milliseconds. */
const PAYS_FOR_MS = { from: 3_000, to: 6_000 };
/** How far behind an asynchronous standby is when its primary dies. */
const LAG_MS = 2_000;
const SERVES_WITHIN_MS = 120_000;
const LOOK_EVERY_MS = 50;
/** How many differences of one invariant are printed if a failover may lose payments. */
const MOST_SHOWN = 10;

export async function run(options: Options, folder: string, atEnd: AtEnd): Promise<Result> {
  const { isAsynchronous, failovers, paymentsPerSecond } = options;
  say(
    `${failovers} failovers, ${paymentsPerSecond} payments a second, ${isAsynchronous ? 'asynchronous' : 'synchronous'}`,
  );
  let role = 'all';
  let address = '';
  const stack = await startStack<Cluster>(
    folder,
    {
      processes: 1,
      startDatabase: async (databaseFolder) => {
        const cluster = await startCluster(databaseFolder, { isSynchronous: !isAsynchronous }, atEnd);
        await migrated(cluster.url);
        await cluster.addStandby();
        address = cluster.url;
        return cluster;
      },
      envOf: () => ({ DATABASE_URL: address, ROLE: role, PROVIDER_TIMEOUT_MS: '10000' }),
    },
    atEnd,
  );
  const { database: cluster, instances, orders, urls, sandboxUrl, shown } = stack;
  const counts = createCounts();
  const violations: string[] = [];
  const lostBefore = new Set<string>();
  say('people join');
  const people = withMoney(await gather({ urls, sandboxUrl, seed: 0, counts, shown }, options.users));

  const startAs = async (next: string): Promise<void> => {
    role = next;
    const [instance] = instances;
    const before = instance?.current()?.pid;
    instance?.kill();
    while (instance?.current() === null || instance?.current()?.pid === before) await pause(LOOK_EVERY_MS);
    await instance?.ready();
  };

  /** Recovers while the service runs as a worker without an API, and then lets clients in. */
  const recoverWithoutClients = async (lost: string[]): Promise<Pick<Round, 'found' | 'broughtBack'>> => {
    const { found, notAdopted } = await recover(stack, lost);
    violations.push(...notAdopted.map((orphan) => `not adopted: ${orphan}`));
    await startAs('all');
    return { found, broughtBack: lost.length - (await missingFrom(cluster.url, lost)).length };
  };

  say('people pay');
  let isQuiet = false;
  const began = Date.now();
  const paying = payAtRate({ counts, orders, isQuiet: () => isQuiet }, people, paymentsPerSecond);
  const random = createRandom(0, 'failovers');
  const rounds: Round[] = [];
  for (let nth = 1; nth <= failovers; nth += 1) {
    await pause(random.between(PAYS_FOR_MS.from, PAYS_FOR_MS.to));
    await acceptsPayments(counts, paymentsPerSecond);
    const restarted: Promise<void>[] = [];
    const beforeServing = (): void => void restarted.push(startAs('worker'));
    const failover = await cluster.failOver(isAsynchronous ? { lagMs: LAG_MS, beforeServing } : {});
    await Promise.all(restarted);
    const missing = await missingFrom(cluster.url, idsOf(acknowledgedIn(orders.file)));
    const lost = missing.filter((id) => !lostBefore.has(id));
    for (const id of lost) lostBefore.add(id);
    rounds.push({
      ...failover,
      lost: lost.length,
      ...(isAsynchronous && (await recoverWithoutClients(lost))),
    });
    await acceptsPayments(counts, 1);
    await cluster.addStandby();
    say(
      `${nth} of ${failovers}: promoted after ${seconds(failover.promotedAt - failover.killedAt)}, ${lost.length} lost, ${counts.accepted.payments} accepted so far`,
    );
  }
  await pause(PAYS_FOR_MS.from);
  isQuiet = true;
  const lastedMs = Date.now() - began;
  const refused = await paying;

  say(`${counts.accepted.payments} payments were accepted; they come to their ends`);
  const rest = await quiesce(stack, (left) => say(`under way: ${left}`));
  await readEverything(people);
  await stopProvider(stack);
  const acknowledged = acknowledgedIn(orders.file);
  const missing = await missingFrom(cluster.url, idsOf(acknowledged));
  const findings = await audit(cluster.url, stack.sandboxData, {
    acknowledgedFile: stack.acknowledged.file,
    ordersFile: orders.file,
    shownFile: shown.file,
    heldForMs: rest.heldForMs,
    restedAfterMs: rest.restedAfterMs,
  });
  if (isAsynchronous) {
    for (const { invariant, violations: found } of findings)
      for (const { id, what } of found.slice(0, MOST_SHOWN)) say(`${invariant}: ${id}: ${what}`);
  } else {
    violations.push(
      ...missing.map((id) => `payment ${id} was acknowledged and is not there`),
      ...findings.flatMap(({ invariant, violations: found }) =>
        found.map(({ id, what }) => `${invariant}: ${id}: ${what}`),
      ),
      ...refused.map((what) => `a client: ${what}`),
    );
  }
  if (instances.some((instance) => instance.falls() > 0)) violations.push('the service ended by itself');
  const { repeats } = counts;
  const outcome = { rounds, acknowledged, missing, repeats, refused, findings, violations, lastedMs };
  return { tables: tablesOf(options, outcome), violations };
}

/** Waits until `many` more payments have been accepted. */
async function acceptsPayments({ accepted }: Counts, many: number): Promise<void> {
  const before = accepted.payments;
  for (const begun = Date.now(); accepted.payments < before + many; await pause(LOOK_EVERY_MS))
    if (Date.now() - begun > SERVES_WITHIN_MS) throw new Error('payments are not accepted after a failover');
}

const say = (what: string): void => console.log(`failover: ${what}`);

const idsOf = (acknowledged: Acknowledged[]): string[] => acknowledged.map(({ id }) => id);
