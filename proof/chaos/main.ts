// `npm run chaos`: real processes in bad weather, killed again and again while people pay and withdraw; then quiet, one
// reconciliation, and an auditor who compares both sides of the books. Ends with 1 when anything does not hold.
import { setTimeout as pause } from 'node:timers/promises';
import { audit, type Finding } from '../audit/audit.ts';
import { createCounts } from './counts.ts';
import { gather, runErrands } from './crowd.ts';
import { countEnds } from './ends.ts';
import { type Options, readOptions } from './options.ts';
import { comeToRest } from './quiet.ts';
import { tablesOf, writeReport } from './report.ts';
import { openScreen } from './screen.ts';
import { type Stack, startStack } from './stack.ts';
import { rage } from './storm.ts';
import { createWeather } from './weather.ts';

const MOST_SHOWN = 20;
/** Errands that take so many times as long as the storm was to last are done in fair weather. */
const MOST_PATIENCE = 10;

const options = readOptions(process.argv.slice(2));
const held: { stack: Stack | null } = { stack: null };
let isEnding = false;

async function end(code: number, isUnwanted = false): Promise<never> {
  isEnding = true;
  await held.stack?.stop().catch((error: unknown) => console.error('could not stop everything:', error));
  if (isUnwanted) held.stack?.forget();
  process.exit(code);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    if (isEnding) return;
    console.error(`\n${signal}: stopping everything`);
    void end(130, true);
  });

try {
  await end(await run(options));
} catch (error) {
  if (!isEnding) {
    console.error('\nThe run broke off:', error);
    if (held.stack) console.error(`Its data and logs are in ${held.stack.folder}`);
    await end(2);
  }
}

/** @returns what to exit with. */
async function run(wanted: Options): Promise<number> {
  const begun = Date.now();
  console.log(
    `chaos: seed ${wanted.seed}, ${wanted.payments} payments, ${wanted.withdraws} withdrawals, ${wanted.users} people, ` +
      `${wanted.kills} kills, ${wanted.restarts} restarts; the storm lasts ${Math.round(wanted.stormMs / 1_000)} s`,
  );
  const started = await startStack();
  held.stack = started;
  const { urls, sandboxUrl } = started;
  const counts = createCounts();
  const weather = createWeather(sandboxUrl, wanted.seed);
  const screen = openScreen(counts, wanted, weather.faults);

  screen.phase('people join');
  const town = { urls, sandboxUrl, seed: wanted.seed, counts };
  const people = await gather(town, wanted.users);

  screen.phase('storm');
  await weather.worsen();
  let isQuiet = false;
  const street = { counts, orders: started.orders, isQuiet: () => isQuiet };
  const errands = runErrands(town, street, people, wanted);
  await Promise.all([
    rage(started, counts, wanted),
    Promise.race([errands, pause(wanted.stormMs * MOST_PATIENCE)]),
  ]);

  screen.phase('the storm is over');
  await weather.clear();
  isQuiet = true;
  await Promise.all([...started.instances, started.sandbox].map((child) => child.ready()));
  const undone = await errands;

  const rest = await comeToRest(started, (left) => screen.phase(`quiet, ${left}`));
  screen.phase('audit');
  const findings = [
    ...(await audit(started.database.url, started.sandboxData, {
      acknowledgedFile: started.acknowledged.file,
      ordersFile: started.orders.file,
      restedAfterMs: rest.restedAfterMs,
    })),
    othersFound(started, undone, wanted),
  ];
  const faults = await weather.faults();
  const ends = await countEnds(started.database.url);
  screen.end();

  const tables = tablesOf({
    options: wanted,
    counts,
    ends,
    faults,
    rest,
    findings,
    tookMs: Date.now() - begun,
  });
  console.log(`\n${tables}\n`);
  if (wanted.reportFile !== null) writeReport(wanted.reportFile, tables);
  const violations = findings.flatMap((finding) => finding.violations);
  for (const { invariant, violations: found } of findings)
    for (const { id, what } of found.slice(0, MOST_SHOWN))
      console.error(`VIOLATION  ${invariant}: ${id}: ${what}`);
  if (violations.length > 0) {
    console.error(
      `\nTo repeat it: npm run chaos -- --seed ${wanted.seed}. Data, logs and journals: ${started.folder}`,
    );
    console.error(`The database: ${started.database.folder}`);
    return 1;
  }
  await started.stop();
  if (wanted.keep) console.log(`Data, logs and journals: ${started.folder}`);
  else started.forget();
  return 0;
}

/** What is no invariant of the books, and must not happen either. */
function othersFound({ instances }: Stack, undone: string[], { payments, withdraws }: Options): Finding {
  const falls = instances.flatMap((instance, index) =>
    instance.falls() > 0
      ? [{ id: `instance ${index + 1}`, what: `ended by itself ${instance.falls()} times` }]
      : [],
  );
  return {
    invariant: 'no instance ends by itself, every client is answered',
    checked: instances.length + payments + withdraws,
    violations: [...falls, ...undone.map((what) => ({ id: 'a client', what }))],
  };
}
