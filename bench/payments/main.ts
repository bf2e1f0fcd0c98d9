// `npm run bench:payments`: direct PIX payments from quote to completed, with sandbox and database on the same machine. With
// --beside, or --beside-checkout PATH, their cost is compared with others, in turns. With --minutes it is a soak test.
import { parseArgs } from 'node:util';
import { machine } from '../../harness/report.ts';
import { compareInTurns } from './beside.ts';
import { capacity } from './capacity.ts';
import { type Contender, type Entrant, type Role, startContender } from './contender.ts';
import { learnTables } from './database.ts';
import { otherCheckout, ourService, reference } from './entrants.ts';
import { measure } from './measure.ts';
import { reportingEnv } from './memory.ts';
import { planned } from './planner.ts';
import { aloneRow } from './report.ts';
import { soak } from './soak.ts';
import { isEachDoneOnce, isSound } from './sound.ts';
import { statementsPer, trackStatements } from './statements.ts';

const { values: options } = parseArgs({
  options: {
    /** Payments per second. Several rates run one after the other, each for `seconds`. A comparison uses only the first. */
    rate: { type: 'string' },
    seconds: { type: 'string' },
    /** Runs a soak test of this length at the first rate, or at 40 without one. It reports what grows, minute by minute. */
    minutes: { type: 'string' },
    users: { type: 'string', default: '200' },
    'warm-up': { type: 'string', default: '10' },
    processes: { type: 'string', default: 'api,worker' },
    /** Prints the cost of each statement of a payment. This costs a little itself. */
    statements: { type: 'boolean', default: false },
    /** Prints the resources that the rates take, and computes those of the rates of --computed. */
    capacity: { type: 'boolean', default: false },
    computed: { type: 'string', default: '1000' },
    /** Prints what one payment and one idle account cost in rows, bytes, calls and processor time, with the nights after them. */
    planner: { type: 'boolean', default: false },
    beside: { type: 'boolean', default: false },
    /** Compares with the service of another checkout, whose packages are installed. */
    'beside-checkout': { type: 'string' },
    /** The processes of that checkout. Without it, they are the same as this checkout's. */
    'checkout-processes': { type: 'string' },
    'own-sandbox': { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
  },
});
const rolesIn = (text: string): Role[] => text.split(',') as Role[];

const checkout = options['beside-checkout'];
const entrants: Entrant[] = [
  { ...ourService(rolesIn(options.processes)), ...(options.minutes !== undefined && { env: reportingEnv }) },
  ...(options.beside ? [reference] : []),
  ...(checkout === undefined
    ? []
    : [
        otherCheckout(
          checkout,
          rolesIn(options['checkout-processes'] ?? options.processes),
          options['own-sandbox'],
        ),
      ]),
];
const planner = options.planner ? await planned(entrants[0] as Entrant) : null;
if (planner !== null) entrants[0] = planner.entrant;
const contenders: Contender[] = [];

try {
  console.log(machine());
  for (const entrant of entrants) contenders.push(await startContender(entrant, Number(options.users)));
  const isComparison = contenders.length > 1;
  const isSoak = options.minutes !== undefined;
  const rates = (options.rate ?? (isComparison || isSoak ? '40' : '100,50')).split(',').map(Number);
  const seconds = Number(options.seconds ?? (isComparison ? 20 : 60));
  for (const one of contenders) {
    await measure(one, { ratePerSecond: rates[0] ?? 50, seconds: Number(options['warm-up']) });
    await learnTables(one.stack.databaseUrl);
  }
  const load = { ratePerSecond: rates[0] ?? 40, seconds };
  if (options.capacity)
    show(await capacity(contenders[0] as Contender, rates, options.computed.split(',').map(Number), seconds));
  else if (planner !== null) show(await planner.plan(contenders[0] as Contender, load));
  else if (isSoak) await soakAlone(contenders[0] as Contender, rates[0] ?? 40, Number(options.minutes));
  else if (isComparison) await compareInTurns(contenders, load, Number(options.rounds));
  else await measureAlone(contenders[0] as Contender, rates, seconds);
  const verdicts = [await isSound(contenders[0] as Contender)];
  for (const one of contenders) verdicts.push(await isEachDoneOnce(one));
  if (verdicts.includes(false)) process.exitCode = 1;
} finally {
  for (const one of contenders) await one.stop();
}

async function soakAlone(one: Contender, ratePerSecond: number, minutes: number): Promise<void> {
  const errors = await soak(one, { ratePerSecond, minutes });
  for (const error of new Set(errors)) console.error(`ERROR  ${error}`);
  if (errors.length > 0) process.exitCode = 1;
}

function show({ text, errors }: { text: string; errors: string[] }): void {
  console.log(text);
  for (const error of new Set(errors)) console.error(`ERROR  ${error}`);
  if (errors.length > 0) process.exitCode = 1;
}

async function measureAlone(one: Contender, rates: number[], seconds: number): Promise<void> {
  const { databaseUrl } = one.stack;
  if (options.statements) await trackStatements(databaseUrl);
  const rows = [];
  for (const ratePerSecond of rates)
    rows.push({ ratePerSecond, ...(await measure(one, { ratePerSecond, seconds })) });
  console.table(rows.map(aloneRow));
  for (const error of new Set(rows.flatMap(({ errors }) => errors))) console.error(`ERROR  ${error}`);
  if (!options.statements) return;
  const payments = rows.reduce((sum, { completed }) => sum + completed, 0);
  console.table(await statementsPer(payments, databaseUrl));
}
