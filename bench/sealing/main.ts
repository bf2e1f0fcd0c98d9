// `npm run bench:sealing`: the cost of sealing for GET /me and GET /bank-details. One service and one database serve users whose
// values are sealed and users whose values are not. They take turns in one run. With `--rotate 100000`, it also measures how long a
// master key rotation takes.
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { dbOf } from '../../src/platform/database/orm.ts';
import { type Cost, get, measure, median, operations } from './load.ts';
import { makeDataKeys, rotate } from './rotate.ts';
import { type Stack, startStack } from './stack.ts';
import { type Variant, variants } from './variants.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '1500' },
    requests: { type: 'string', default: '10' },
    'at-once': { type: 'string', default: '1' },
    people: { type: 'string', default: '400' },
    /** In how many currencies users have bank details: in their home currency, or in both. */
    currencies: { type: 'string', default: '2' },
    rotate: { type: 'string', default: '0' },
    /** Warms up until code is compiled and data keys are in memory. */
    'warm-up': { type: 'string', default: '100' },
    // Exits with 1 if a target is missed. Without it, only an error exits with 1.
    assert: { type: 'boolean', default: false },
  },
});
const CONCURRENCY = Number(options['at-once']);
const MOST_PERCENT = 5;
const MOST_ROTATION_SECONDS = 60;
/** The number of parts of the run. If the share differs between them, the machine is the cause, not sealing. */
const PARTS = 3;

type Round = Record<Variant, Cost>;

const stack = await startStack(Number(options.people), Number(options.currencies), CONCURRENCY);
try {
  console.log(`${cpus().length} x ${cpus()[0]?.model}, Node ${process.version}`);
  console.log(
    `${options.rounds} rounds of ${options.requests} requests to each, ${CONCURRENCY} concurrently`,
  );
  const rounds = await run(stack);
  for (const operation of operations) {
    const { rows, percent, firstLook, parts } = compare(rounds[operation]);
    console.log(`\nGET ${operation}`);
    console.table(rows);
    console.log(
      `sealing takes ${percent.ms} % of the time (in thirds of the run: ${parts.ms}) and ` +
        `${percent.processorUs} % of the processor time (${parts.processorUs}); wanted: under ${MOST_PERCENT} %. ` +
        `Of what nobody has looked at for a while it takes ${firstLook.ms} and ${firstLook.processorUs} %.`,
    );
    if (options.assert && Math.max(percent.ms, percent.processorUs) >= MOST_PERCENT) process.exitCode = 1;
  }
  if (Number(options.rotate) > 0) await measureRotation(stack, Number(options.rotate));
} finally {
  await stack.stop();
}

async function run({ service, api, tokens }: Stack): Promise<Record<(typeof operations)[number], Round[]>> {
  const many = Number(options.requests);
  const warmUp = Number(options['warm-up']);
  const measured = { '/me': [] as Round[], '/bank-details': [] as Round[] };
  for (let n = 0; n < warmUp + Number(options.rounds); n += 1)
    for (const operation of operations) {
      const costs: Partial<Round> = {};
      // The order differs each time, because the order affects the figures.
      for (const variant of shuffled(variants)) {
        const [sessions, next] = [tokens[variant], n * many];
        const asked = Array.from({ length: many }, (_, at) => sessions[(next + at) % sessions.length] ?? '');
        costs[variant] = await measure(service, api, operation, asked, CONCURRENCY);
      }
      if (n >= warmUp) measured[operation].push(costs as Round);
    }
  return measured;
}

function compare(rounds: Round[]) {
  const middle = (some: Round[], variant: Variant, kind: keyof Cost): number =>
    median(some.map(({ [variant]: cost }) => cost[kind]));
  // The median of the ratios of the rounds is used, because machines are faster in one second and slower in the next.
  const share = (some: Round[], variant: Variant, kind: keyof Cost): number =>
    rounded(median(some.map((costs) => 100 * (1 - costs.off[kind] / costs[variant][kind]))), 1);
  const inParts = (kind: keyof Cost): string =>
    Array.from({ length: PARTS }, (_, n) => rounds.filter((_one, at) => at % PARTS === n))
      .map((some) => share(some, 'on', kind))
      .join(', ');
  const rowOf = (variant: Variant) => ({
    'median ms': rounded(middle(rounds, variant, 'ms'), 3),
    'sealing, %': share(rounds, variant, 'ms'),
    'processor us': rounded(middle(rounds, variant, 'processorUs'), 0),
    'sealing, % of it': share(rounds, variant, 'processorUs'),
  });
  return {
    rows: {
      'not sealed': rowOf('off'),
      sealed: rowOf('on'),
      'sealed, not looked at for a while': rowOf('anew'),
      'sealed, data key to be fetched for each value': rowOf('cold'),
    },
    percent: { ms: share(rounds, 'on', 'ms'), processorUs: share(rounds, 'on', 'processorUs') },
    firstLook: { ms: share(rounds, 'anew', 'ms'), processorUs: share(rounds, 'anew', 'processorUs') },
    parts: { ms: inParts('ms'), processorUs: inParts('processorUs') },
  };
}

/** Rotates while users continue to send requests, including requests whose data key must be fetched. */
async function measureRotation({ orm, master, opsEnv, api, tokens }: Stack, many: number): Promise<void> {
  const db = dbOf(orm);
  const sessions = [...tokens.on, ...tokens.anew, ...tokens.cold];
  await makeDataKeys(db, master, many - sessions.length);
  const { seconds, requests, errors, left } = await rotate(db, master.id, opsEnv, async (n) => {
    await get(api, operations[n % 3 === 0 ? 0 : 1], sessions[n % sessions.length] ?? '');
  });
  console.log(
    `\n${many} data keys rewrapped in ${seconds.toFixed(1)} s, at most ${MOST_ROTATION_SECONDS} s are wanted; ` +
      `${requests} requests meanwhile, ${errors.length} errors, ${left} keys left under the former master key`,
  );
  for (const error of errors.slice(0, 5)) console.log(error);
  if (errors.length > 0 || left > 0) process.exitCode = 1;
  if (options.assert && seconds > MOST_ROTATION_SECONDS) process.exitCode = 1;
}

function shuffled<T>(some: readonly T[]): T[] {
  const drawn = some.map((one) => ({ one, at: Math.random() }));
  return drawn.toSorted((a, b) => a.at - b.at).map(({ one }) => one);
}

function rounded(value: number, places: number): number {
  return Number(value.toFixed(places));
}
