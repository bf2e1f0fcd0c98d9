// `npm run bench:fairness`: one person's quotes alone, and beside another person who asks for quotes on many connections;
// with a provider that needs its time for a quote, where calls are what is scarce, and with a fast one, where the process is.
import { chmodSync, mkdtempSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { freePort } from '../../scripts/free-port.ts';
import { startLocalStack } from '../../scripts/local-stack.ts';
import { markdownTable } from '../markdown.ts';
import { type Payer, payerOfService } from '../payments/people.ts';
import { startSlowUpstream } from './slow-upstream.ts';

const { values: options } = parseArgs({
  options: {
    connections: { type: 'string', default: '800' },
    seconds: { type: 'string', default: '20' },
    /** How long the provider needs for a quote beside the sandbox's own time; of several, each in turn. */
    'quote-ms': { type: 'string', default: '300,0' },
  },
});
const RAMP_MS = 2_000;
const forMs = Number(options.seconds) * 1_000;

const heads = ['Milliseconds', 'median', '95 %', 'requests', 'refused (429)', 'other errors'];

type Answered = { status: number; ms: number };

const folder = mkdtempSync(join(tmpdir(), 'ponte-bench-'));
chmodSync(folder, 0o755);
const sandboxPort = await freePort();
const upstream = await startSlowUpstream(`http://localhost:${sandboxPort}`);
const stack = await startLocalStack({
  folder,
  isTemporary: true,
  port: await freePort(),
  sandboxPort,
  env: {
    SANDBOX_SETTLE_MS: '0',
    SANDBOX_ACTIVATE_MS: '0',
    PROVIDER_BASE_URL: upstream.url,
    LOG_LEVEL: 'silent',
  },
});
const own = new Pool(stack.url, { connections: 1 });
const many = new Pool(stack.url, { connections: Number(options.connections) });

try {
  console.log(`${cpus().length} x ${cpus()[0]?.model}, Node ${process.version}`);
  const makePayer = payerOfService(stack);
  const [ada, bea] = (await Promise.all([makePayer('ada'), makePayer('bea')])).map(
    (token): Payer => ({ authorization: `Bearer ${token}` }),
  ) as [Payer, Payer];
  const rows: string[][] = [];
  for (const quoteMs of options['quote-ms'].split(',').map(Number)) {
    upstream.slowDown(quoteMs);
    await quotesFor(RAMP_MS, own, bea);
    rows.push(rowOf(`alone, ${quoteMs} ms`, await quotesFor(forMs, own, bea)));
    const asking = new AbortController();
    const flood = Array.from({ length: Number(options.connections) }, () =>
      quotesWhile(() => !asking.signal.aborted, many, ada),
    );
    await pause(RAMP_MS);
    const beside = await quotesFor(forMs, own, bea);
    asking.abort();
    rows.push(rowOf(`beside the ${options.connections}`, beside));
    rows.push(rowOf('the many themselves', (await Promise.all(flood)).flat()));
  }
  console.log(markdownTable(heads, rows));
} finally {
  await Promise.all([own.destroy(), many.destroy()]);
  await stack.stop();
  await upstream.close();
}

function quotesFor(ms: number, api: Pool, payer: Payer): Promise<Answered[]> {
  const endsAt = performance.now() + ms;
  return quotesWhile(() => performance.now() < endsAt, api, payer);
}

/** One quote after the other. */
async function quotesWhile(isOn: () => boolean, api: Pool, payer: Payer): Promise<Answered[]> {
  const answers: Answered[] = [];
  while (isOn()) {
    const begun = performance.now();
    const { statusCode, body } = await api.request({
      method: 'POST',
      path: '/pix/quote',
      headers: { ...payer, 'content-type': 'application/json' },
      body: JSON.stringify({ amountBrl: 20 }),
    });
    await body.dump();
    answers.push({ status: statusCode, ms: performance.now() - begun });
  }
  return answers;
}

function rowOf(name: string, answers: Answered[]): string[] {
  const sorted = answers.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const quantile = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  const refused = answers.filter(({ status }) => status === 429).length;
  const others = answers.filter(({ status }) => status !== 200).length - refused;
  const figures = [quantile(0.5), quantile(0.95), answers.length, refused, others];
  return [
    name,
    ...figures.map((figure) => figure.toLocaleString('en', { maximumFractionDigits: figure < 100 ? 1 : 0 })),
  ];
}
