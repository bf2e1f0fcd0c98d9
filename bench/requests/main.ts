// `npm run bench:requests`: compares the cost of a request with hand-written code (bench/reference/). Service and references take
// turns in each round, so that other load on the machine affects all of them.
import { deepStrictEqual } from 'node:assert/strict';
import { parseArgs } from 'node:util';
import { machine } from '../../harness/report.ts';
import { ask, measure, serverOf } from './measure.ts';
import { type Operation, operations, prepare } from './operations.ts';
import { type Costs, compare, table, writeDown } from './report.ts';
import { type Stack, startStack } from './stack.ts';

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    people: { type: 'string', default: '400' },
    rounds: { type: 'string', default: '7' },
    requests: { type: 'string', default: '500' },
    'at-once': { type: 'string', default: '10' },
    /** Measures only operations whose names contain this text. */
    only: { type: 'string', default: '' },
    /** Another checkout of the service to compare with. The results are then not written to the document. */
    against: { type: 'string' },
    /** Makes PostgreSQL use generic plans for the references, which the service asks for. By default it plans their lists each time. */
    'generic-plans': { type: 'boolean', default: false },
    /** Prints the table and does not change docs/performance.md. */
    'print-only': { type: 'boolean', default: false },
  },
});
const ROUNDS = Number(options.rounds);
const REQUESTS = Number(options.requests);
const CONCURRENCY = Number(options['at-once']);
/** Warms up until code is compiled, statements are prepared and connections are open. */
const WARM_UP_ROUNDS = 4;

const begun = performance.now();
const stack = await startStack({
  people: Number(options.people),
  rows: Number(options.rows),
  atOnce: CONCURRENCY,
  against: options.against,
  genericPlans: options['generic-plans'],
});
try {
  console.log(machine());
  console.log(
    `${options.rows} transactions, ready after ${Math.round((performance.now() - begun) / 1_000)} s`,
  );
  const chosen = operations.filter((operation) => operation.includes(options.only));
  for (const operation of chosen) await assertSameAnswers(stack, operation);
  const rounds: Record<string, Costs[]> = {};
  // All rounds of the reads run before payments add rows to the lists.
  for (const operation of chosen)
    for (let n = -WARM_UP_ROUNDS; n < ROUNDS; n += 1) {
      const costs = await round(stack, operation, n);
      if (n >= 0) (rounds[operation] ??= []).push(costs);
    }
  const compared = chosen.map((operation) => compare(operation, rounds[operation] ?? []));
  const text = table(compared);
  console.log(text);
  const isWhole = options.only === '' && options.against === undefined && !options['generic-plans'];
  if (isWhole && !options['print-only']) writeDown(text, process.argv.slice(2), options);
} finally {
  await stack.stop();
}

/** Measures all servers one after the other, in a different order each time. */
async function round(from: Stack, operation: Operation, n: number): Promise<Costs> {
  const costs: Costs = new Map();
  const first = (n + WARM_UP_ROUNDS) % from.contenders.length;
  for (const contender of [...from.contenders.slice(first), ...from.contenders.slice(0, first)]) {
    const requests = await prepare(from, contender, operation, REQUESTS);
    costs.set(contender, await measure(from, contender, requests, CONCURRENCY));
  }
  return costs;
}

/**
 * Checks that service and references answer the same JSON with the same property names. Only ids, times and balances may differ. The
 * other checkout is left out: its contract may lack properties.
 */
async function assertSameAnswers(from: Stack, operation: Operation): Promise<void> {
  const shapes: unknown[] = [];
  for (const contender of from.contenders.filter((one) => one !== 'former')) {
    const [request] = await prepare(from, contender, operation, 1);
    if (request === undefined) throw new Error('nothing to ask');
    const answer: unknown = JSON.parse(await ask(serverOf(from.servers, contender).client, request));
    shapes.push(shapeOf(answer));
  }
  for (const shape of shapes) deepStrictEqual({ operation, shape }, { operation, shape: shapes[0] });
}

function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return Object.entries(value).map(([name, one]) => [name, shapeOf(one)]);
}
