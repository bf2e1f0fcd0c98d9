// One run from beginning to end: starts the processes, signs users up, injects faults while they pay, waits for rest, and lets the
// auditor check the result.
import { setTimeout as pause } from 'node:timers/promises';
import { audit, type Finding } from '../audit/audit.ts';
import { createCounts } from './counts.ts';
import { startCrashableDatabase } from './database.ts';
import { countEnds } from './ends.ts';
import { readEverything } from './final-reading.ts';
import { lateRequestsArrived, MILD_FAULTS } from './imperfect-provider.ts';
import { missingFaults } from './missing-faults.ts';
import { runNemesis } from './nemesis.ts';
import { followVerifications, returnFailedPayouts } from './operator.ts';
import type { Options } from './options.ts';
import { createProviderFaultInjection } from './provider-faults.ts';
import { quiesce, stopProvider } from './quiesce.ts';
import { tablesOf, writeReport } from './report.ts';
import { openScreen } from './screen.ts';
import { type Stack, startStack } from './stack.ts';
import { burstOf, gather, runWorkload, withMoney } from './workload.ts';

const MOST_SHOWN = 20;
const CLOCK_DIFFERS_BY_MS = 4 * 60_000;
/** Faults end after this multiple of the planned duration. The remaining tasks are finished without faults. */
const MOST_PATIENCE = 10;

/**
 * @param folder for data, logs and journals.
 * @param serviceFolder the project whose service runs: this one, or a mutated copy.
 * @param atEnd registers the function that stops each part.
 * @returns whether everything held.
 */
export async function run(
  wanted: Options,
  { folder, serviceFolder }: { folder: string; serviceFolder: string },
  atEnd: (ending: () => Promise<void>) => void,
): Promise<boolean> {
  const begun = Date.now();
  console.log(
    `chaos: seed ${wanted.seed}, ${wanted.payments} payments, ${wanted.withdraws} withdrawals, ${wanted.users} people, ` +
      `${wanted.processes} instances, ${wanted.kills} kills, ${wanted.restarts} restarts, an ${wanted.imperfectProvider ? 'imperfect' : 'honest'} provider, ${wanted.mutation ?? 'no mutation'}; it lasts ${Math.round(wanted.durationMs / 1_000)} s`,
  );
  const counts = createCounts();
  const started = await startStack(
    folder,
    {
      processes: wanted.processes,
      startDatabase: (databaseFolder) => startCrashableDatabase(databaseFolder, wanted.smallDisk, atEnd),
      serviceFolder,
      clockAheadMs: (index) => (wanted.clocks ? clockAheadMs(index) : 0),
      onStart: (index) => {
        if (wanted.clocks && clockAheadMs(index) !== 0) counts.wrongClocks += 1;
      },
    },
    atEnd,
  );
  const { urls, sandboxUrl } = started;
  const providerFaults = wanted.imperfectProvider ? MILD_FAULTS : {};
  const faultInjection = createProviderFaultInjection(sandboxUrl, wanted.seed, providerFaults);
  const screen = openScreen(counts, wanted, faultInjection.faults);

  screen.phase('people join');
  const population = {
    urls,
    sandboxUrl,
    seed: wanted.seed,
    counts,
    shown: started.shown,
    ...(wanted.clocks && { olderSession: started.olderSession }),
  };
  const people = await gather(population, wanted.users);

  screen.phase('faults');
  await faultInjection.start();
  let isQuiet = false;
  const workload = { counts, orders: started.orders, isQuiet: () => isQuiet };
  const tasks = runWorkload(population, workload, people, wanted);
  const operators = [
    followVerifications(started, () => isQuiet),
    returnFailedPayouts(started, counts, () => isQuiet),
  ];
  await Promise.all([
    runNemesis(
      { stack: started, people: withMoney(people), burst: burstOf(workload, wanted) },
      counts,
      wanted,
    ),
    Promise.race([tasks, pause(wanted.durationMs * MOST_PATIENCE)]),
  ]);

  screen.phase('quiesce');
  await faultInjection.stop();
  isQuiet = true;
  await Promise.all([...started.instances, started.sandbox].map((child) => child.ready()));
  const [undone] = await Promise.all([tasks, ...operators]);
  counts.lateRequests = await lateRequestsArrived(sandboxUrl);
  // From here on the run mostly waits, so proof/main.ts starts the other proofs.
  process.send?.('quiet');

  const rest = await quiesce(started, (left) => screen.phase(`quiet, ${left}`));
  const faults = await faultInjection.faults();
  screen.phase('apps read everything');
  await readEverything(people);
  screen.phase('audit');
  await stopProvider(started);
  const findings = [
    ...(await audit(started.database.url, started.sandboxData, {
      acknowledgedFile: started.acknowledged.file,
      ordersFile: started.orders.file,
      shownFile: started.shown.file,
      unorderedFile: started.unordered.file,
      clocksDifferByMs: wanted.clocks ? CLOCK_DIFFERS_BY_MS : 0,
      heldForMs: rest.heldForMs,
      restedAfterMs: rest.restedAfterMs,
    })),
    othersFound(
      started,
      { undone, notInjected: [...counts.notInjected, ...missingFaults(wanted, counts, faults)] },
      wanted,
    ),
  ];
  const ends = await countEnds(started.database.url);
  screen.end();

  const tables = tablesOf({
    options: wanted,
    providerFaults,
    counts,
    ends,
    faults,
    rest,
    findings,
    tookMs: Date.now() - begun,
  });
  console.log(`\n${tables}\n`);
  if (wanted.reportFile !== null) writeReport(wanted.reportFile, tables);
  for (const { invariant, violations, listed } of findings) {
    for (const { id, what } of listed.slice(0, MOST_SHOWN))
      console.log(`listed  ${invariant}: ${id}: ${what}`);
    for (const { id, what } of violations.slice(0, MOST_SHOWN))
      console.error(`VIOLATION  ${invariant}: ${id}: ${what}`);
  }
  return findings.every(({ violations }) => violations.length === 0);
}

/**
 * Instances alternate between a clock that is behind and one that is ahead. The database and the provider have the machine's clock.
 */
const clockAheadMs = (index: number): number =>
  index % 2 === 0 ? -CLOCK_DIFFERS_BY_MS : CLOCK_DIFFERS_BY_MS;

/** Findings that are not invariants of the books, but must not occur. */
function othersFound(
  { instances }: Stack,
  { undone, notInjected }: { undone: string[]; notInjected: string[] },
  { payments, withdraws }: Options,
): Finding {
  const falls = instances.flatMap((instance, index) =>
    instance.falls() > 0
      ? [{ id: `instance ${index + 1}`, what: `ended by itself ${instance.falls()} times` }]
      : [],
  );
  return {
    invariant: 'no instance ends by itself, every client gets an answer, every fault is injected',
    checked: instances.length + payments + withdraws,
    violations: [
      ...falls,
      ...undone.map((what) => ({ id: 'a client', what })),
      ...notInjected.map((what) => ({ id: 'a fault', what })),
    ],
    listed: [],
  };
}
