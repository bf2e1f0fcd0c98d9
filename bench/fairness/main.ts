// `npm run bench:fairness`: measures how long one user waits alone, and next to a crowd. Each scenario is a file in scenarios/.
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { freePort } from '../../harness/processes/free-port.ts';
import { machine, markdownTable, quantile } from '../../harness/report.ts';
import { startTemporaryStack } from '../../harness/stack/temporary-stack.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { type Payer, payerOfService } from '../payments/people.ts';
import { startHaproxy } from './haproxy.ts';
import { type Answered, type Bench, type Scenario, sendWhile } from './scenario.ts';
import { longPages } from './scenarios/long-pages.ts';
import { piles } from './scenarios/piles.ts';
import { quotes } from './scenarios/quotes.ts';
import { signIns } from './scenarios/sign-ins.ts';
import { declaredBodies, slowBodies, strangersBodies } from './scenarios/slow-bodies.ts';
import { startSlowUpstream } from './slow-upstream.ts';

const { values: options } = parseArgs({
  options: {
    connections: { type: 'string', default: '800' },
    seconds: { type: 'string', default: '20' },
    /** The pause before each measurement, and after the beginning of the crowd. */
    'ramp-seconds': { type: 'string', default: '2' },
    /**
     * The additional time that the provider takes for a quote, in milliseconds. Several values are measured one after the other.
     */
    'quote-ms': { type: 'string', default: '300,0' },
    /** The names of scenarios. Without it, all scenarios run. */
    scenarios: { type: 'string' },
    /** Puts haproxy between all users and the service. */
    'behind-proxy': { type: 'boolean', default: false },
  },
});

const all: Scenario[] = [
  ...options['quote-ms'].split(',').map((ms) => quotes(Number(options.connections), Number(ms))),
  slowBodies,
  declaredBodies,
  strangersBodies,
  signIns,
  longPages,
  piles,
];
const wanted = options.scenarios?.split(',');
const scenarios = all.filter(({ name }) => wanted?.includes(name) ?? true);

const rampMs = Number(options['ramp-seconds']) * 1_000;
const forMs = Number(options.seconds) * 1_000;
const heads = ['Milliseconds', 'median', '95 %', '99 %', 'requests', 'refused (429)', 'other errors'];

const folder = temporaryFolder('bench');
const sandboxPort = await freePort();
const upstream = await startSlowUpstream(`http://localhost:${sandboxPort}`);
const service = await startTemporaryStack(folder, {
  sandboxPort,
  env: {
    SANDBOX_SETTLE_MS: '0',
    SANDBOX_ACTIVATE_MS: '0',
    PROVIDER_BASE_URL: upstream.url,
    LOG_LEVEL: 'silent',
    ...(options['behind-proxy'] && { TRUSTED_PROXIES: '127.0.0.0/8,::1/128' }),
  },
});
const proxy = options['behind-proxy'] ? await startHaproxy(folder, service.url) : null;
const stack = { ...service, url: proxy?.url ?? service.url };
const own = new Pool(stack.url, { connections: 1 });

try {
  console.log(machine());
  const sessionOf = payerOfService(stack);
  const makePayer = async (name: string): Promise<Payer> => ({
    authorization: `Bearer ${await sessionOf(name)}`,
  });
  const [other, person] = await Promise.all([makePayer('ada'), makePayer('bea')]);
  for (const scenario of scenarios)
    console.log(
      markdownTable(heads, await measure(scenario, { stack, upstream, own, person, other, makePayer })),
    );
} finally {
  await own.destroy();
  await proxy?.stop();
  await service.stop();
  await upstream.close();
}

/** @returns the table's rows: the user alone, the user next to the crowd, and the crowd. */
async function measure(scenario: Scenario, bench: Bench): Promise<string[][]> {
  const { alone, ask, crowd, disturb } = await scenario.prepare(bench);
  const during = (ms: number): Promise<Answered[]> => {
    const endsAt = performance.now() + ms;
    return sendWhile(() => performance.now() < endsAt, ask);
  };
  await during(rampMs);
  const undisturbed = await during(forMs);
  const over = new AbortController();
  const crowded = disturb(over.signal);
  await pause(rampMs);
  const disturbed = await during(forMs);
  over.abort();
  return [
    rowOf(alone, undisturbed),
    rowOf(`next to ${crowd}`, disturbed),
    rowOf('the crowd itself', await crowded),
  ];
}

function rowOf(name: string, answers: Answered[]): string[] {
  const times = answers.map(({ ms }) => ms);
  const refused = answers.filter(({ status }) => status === 429).length;
  const others = answers.filter(({ status }) => status !== 200).length - refused;
  const figures = [
    ...[0.5, 0.95, 0.99].map((share) => quantile(times, share)),
    answers.length,
    refused,
    others,
  ];
  return [
    name,
    ...figures.map((figure) => figure.toLocaleString('en', { maximumFractionDigits: figure < 100 ? 1 : 0 })),
  ];
}
