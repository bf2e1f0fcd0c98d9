// One run from beginning to end: starts the processes, signs users up, injects faults while they pay, waits for rest, and lets the
// auditor check the result.
import { setTimeout as pause } from 'node:timers/promises';
import type { Finding } from '../audit/audit.ts';
import type { AtEnd } from '../run-in-folder.ts';
import { type Counts, createCounts } from '../stack/counts.ts';
import { runningDatabase, startCrashableDatabase } from '../stack/database.ts';
import { convertParts, followVerifications, returnFailedPayouts } from '../stack/operator.ts';
import { gather, type Person, type Population, withMoney } from '../stack/people.ts';
import { auditAtRest, quiesce } from '../stack/quiesce.ts';
import { type Stack, startStack } from '../stack/stack.ts';
import { countEnds } from './ends.ts';
import { lateRequestsArrived, MILD_FAULTS } from './imperfect-provider.ts';
import { missingFaults } from './missing-faults.ts';
import { runNemesis } from './nemesis.ts';
import type { Options } from './options.ts';
import { createProviderFaultInjection } from './provider-faults.ts';
import { type RunResult, tablesOf, writeReport } from './report.ts';
import { openScreen } from './screen.ts';
import { burstOf, runWorkload } from './workload.ts';

const MAX_SHOWN = 20;
const CLOCK_DIFFERS_BY_MS = 4 * 60_000;
/** Faults end after this multiple of the planned duration. The remaining tasks are finished without faults. */
const MAX_PATIENCE = 10;

export type Setup = {
  /** For data, logs and journals. */
  folder: string;
  /** The project whose service runs: this one, or a mutated copy. */
  serviceFolder: string;
  /** A migrated database of a server that runs already, and what the service is set to for it. It cannot be restarted. */
  server?: { url: string; settings: NodeJS.ProcessEnv };
};

/**
 * @param atEnd registers the function that stops each part.
 * @returns whether everything held.
 */
export async function run(options: Options, setup: Setup, atEnd: AtEnd): Promise<boolean> {
  const begun = Date.now();
  console.log(titleOf(options));
  const counts = createCounts();
  const stack = await startInstances(options, { ...setup, counts }, atEnd);
  const providerFaults = options.imperfectProvider ? MILD_FAULTS : {};
  const faultInjection = createProviderFaultInjection(stack.sandboxUrl, options.seed, providerFaults);
  const screen = openScreen(counts, options, faultInjection.faults);

  screen.phase('people join');
  const { urls, sandboxUrl, shown, olderSession } = stack;
  const population = {
    urls,
    sandboxUrl,
    seed: options.seed,
    counts,
    shown,
    ...(options.clocks && { olderSession }),
  };
  const people = await gather(population, options.users);

  screen.phase('faults');
  await faultInjection.start();
  const workload = runUnderFaults({ stack, population, people, counts, options });
  await workload.faultsAreOver;

  screen.phase('quiesce');
  // On a busy machine, the provider may still be starting after its last kill.
  await stack.sandbox.ready();
  await faultInjection.stop();
  const undone = await workload.finish();
  counts.lateRequests = await lateRequestsArrived(sandboxUrl);
  // From here on the run mostly waits, so proof/main.ts starts the other proofs.
  process.send?.('quiet');

  const rest = await quiesce(stack, (remaining) => screen.phase(`quiet, ${remaining}`));
  const faults = await faultInjection.faults();
  screen.phase('audit');
  const findings = [
    ...(await auditAtRest(stack, people, rest, options.clocks ? CLOCK_DIFFERS_BY_MS : 0)),
    othersFound(
      stack,
      { undone, notInjected: [...counts.notInjected, ...missingFaults(options, counts, faults)] },
      options,
    ),
  ];
  const ends = await countEnds(stack.database.url);
  screen.end();
  const tookMs = Date.now() - begun;
  const result = { options, providerFaults, counts, ends, faults, rest, findings, tookMs };
  return report(result);
}

const titleOf = (options: Options): string =>
  `chaos: seed ${options.seed}, ${options.payments} payments, ${options.withdraws} withdrawals, ${options.users} people, ` +
  `${options.processes} instances, ${options.kills} kills, ${options.restarts} restarts, an ${options.imperfectProvider ? 'imperfect' : 'honest'} provider, ${options.mutation ?? 'no mutation'}; it lasts ${Math.round(options.durationMs / 1_000)} s`;

function startInstances(
  { processes, smallDisk, clocks }: Options,
  { folder, serviceFolder, server, counts }: Setup & { counts: Counts },
  atEnd: AtEnd,
): Promise<Stack> {
  return startStack(
    folder,
    {
      processes,
      startDatabase: async (databaseFolder) =>
        server ? runningDatabase(server.url) : startCrashableDatabase(databaseFolder, smallDisk, atEnd),
      settings: { WITHDRAW_NAME_CHECK: 'inform', ...server?.settings },
      serviceFolder,
      clockAheadMs: (index) => (clocks ? clockAheadMs(index) : 0),
      onStart: (index) => {
        if (clocks && clockAheadMs(index) !== 0) counts.wrongClocks += 1;
      },
    },
    atEnd,
  );
}

type Run = { stack: Stack; population: Population; people: Person[]; counts: Counts; options: Options };

/**
 * Lets users pay and operators decide while the nemesis injects its faults.
 * @returns when the faults are over, and a function that lets everybody finish. It resolves with what clients could not do.
 */
function runUnderFaults({ stack, population, people, counts, options }: Run): {
  faultsAreOver: Promise<unknown>;
  finish: () => Promise<string[]>;
} {
  let isQuiet = false;
  const workload = { counts, orders: stack.orders, isQuiet: () => isQuiet, isCurrent: true };
  const tasks = runWorkload(population, workload, people, options);
  const operators = [
    followVerifications(stack, () => isQuiet),
    returnFailedPayouts(stack, counts, () => isQuiet),
    convertParts(stack, counts, () => isQuiet),
  ];
  const targets = { stack, people: withMoney(people), burst: burstOf(workload, options) };
  return {
    faultsAreOver: Promise.all([
      runNemesis(targets, counts, options),
      Promise.race([tasks, pause(options.durationMs * MAX_PATIENCE)]),
    ]),
    finish: async () => {
      isQuiet = true;
      await Promise.all([...stack.instances, stack.sandbox].map((child) => child.ready()));
      const [undone] = await Promise.all([tasks, ...operators]);
      return undone;
    },
  };
}

/** Prints the result and writes it into the document. @returns whether everything held. */
function report(result: RunResult): boolean {
  const tables = tablesOf(result);
  console.log(`\n${tables}\n`);
  if (result.options.reportFile !== null) writeReport(result.options.reportFile, tables);
  for (const { invariant, violations, listed } of result.findings) {
    for (const { id, what } of listed.slice(0, MAX_SHOWN))
      console.log(`listed  ${invariant}: ${id}: ${what}`);
    for (const { id, what } of violations.slice(0, MAX_SHOWN))
      console.error(`VIOLATION  ${invariant}: ${id}: ${what}`);
  }
  return result.findings.every(({ violations }) => violations.length === 0);
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
