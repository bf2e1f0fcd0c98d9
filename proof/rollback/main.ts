// `npm run try:rollback -- --former <release or commit>`: upgrades the service to this version and rolls back, process by process and under
// load, with both versions on one database and one outbox. Exits with 1 if a request gets a 5xx or no answer, or if the auditor finds
// anything.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { markdownTable, quantile, writeSection } from '../../harness/report.ts';
import { runInFolder } from '../run-in-folder.ts';
import { violationsIn } from '../stack/quiesce.ts';
import type { Phase } from './balancer.ts';
import { commitOf } from './releases.ts';
import { runDrill } from './run.ts';
import { checkOut } from './version.ts';

const MAX_SHOWN = 20;

const { values } = parseArgs({
  options: {
    former: { type: 'string' },
    'payments-per-second': { type: 'string', default: '10' },
    /** How long each phase lasts after its work. */
    seconds: { type: 'string', default: '15' },
    people: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    report: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
});
const { former: named } = values;
if (named === undefined) throw new Error('--former names the former release, or its commit');
const commit = commitOf(named);

const section = {
  heading: 'Rolling back',
  begin: '<!-- rollback:begin, written by npm run try:rollback -- --report -->',
  end: '<!-- rollback:end -->',
};

await runInFolder('rollback', values, async (folder, atEnd) => {
  console.log(`the former version is ${named} (${commit}), seed ${values.seed}`);
  const former = checkOut(commit, join(folder, 'former'));
  const options = {
    paymentsPerSecond: Number(values['payments-per-second']),
    phaseMs: Number(values.seconds) * 1_000,
    people: Number(values.people),
    seed: Number(values.seed),
  };
  const { phases, accepted, failures, findings } = await runDrill(former, options, folder, atEnd);
  const violations = [
    ...failures,
    ...phases.flatMap(({ name, errors }) => errors.map((error) => `${name}: ${error}`)),
    ...violationsIn(findings),
  ];
  const text = [
    `${new Date().toISOString().slice(0, 10)}, ${availableParallelism()} processors, \`npm run try:rollback -- --former ${named} ` +
      `--payments-per-second ${options.paymentsPerSecond}\`: ${accepted} payments, ${violations.length} violations.`,
    markdownTable(['Phase', 'requests', '5xx or no answer', 'median ms', '99 % ms'], phases.map(rowOf)),
  ].join('\n\n');
  console.log(`\n${text}\n`);
  for (const violation of violations.slice(0, MAX_SHOWN)) console.error(`VIOLATION  ${violation}`);
  if (values.report !== undefined) writeSection(values.report, section, text);
  return violations.length === 0;
});

const rowOf = ({ name, tookMs, errors }: Phase): (string | number)[] => [
  name,
  tookMs.length,
  errors.length,
  quantile(tookMs, 0.5).toFixed(0),
  quantile(tookMs, 0.99).toFixed(0),
];
