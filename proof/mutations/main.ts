// `npm run mutations`: tests the tests. It makes one mutation at a time in a copy of the project, and expects the tests named for
// it to fail, each with its own assertion. Without the mutation, the same tests must pass.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { startEmbeddedDatabase } from '../../harness/database/embedded-database.ts';
import { temporaryFolderInMemory } from '../../harness/temporary-folder.ts';
import { createRandom } from '../random.ts';
import { copyWith, edited, readSource } from './apply.ts';
import { type Mutation, mutations } from './mutations.ts';
import { isItsOwn, runTests } from './tests.ts';

const { values: options } = parseArgs({
  options: {
    bug: { type: 'string', multiple: true },
    sample: { type: 'string' },
    /** Chooses the sample. The default differs each time and is printed. */
    seed: { type: 'string', default: String(randomInt(1e9)) },
    workers: { type: 'string', default: '2' },
  },
});
const began = Date.now();
const named = mutations.filter(({ name }) => options.bug?.includes(name) ?? true);
const chosen = options.sample
  ? createRandom(Number(options.seed), 'mutations').sample(named, Number(options.sample))
  : named;
if (options.sample) console.log(`a sample of ${chosen.length} bugs, seed ${options.seed}`);
if (chosen.length === 0) throw new Error('no such bug');
// All mutations are checked before any is run.
const stale = chosen.flatMap((bug) => {
  try {
    edited(bug, readSource);
    return [];
  } catch (error) {
    return [String(error)];
  }
});
if (stale.length > 0) {
  console.error(stale.join('\n'));
  process.exit(1);
}

type Trial = { name: string; run: (databaseUrl: string) => Promise<string> };

const outcomes = new Map<string, string>();
const trials: Trial[] = chosen.map((bug) => ({ name: bug.name, run: (url) => tryBug(bug, url) }));
// The longest trial runs first.
trials.unshift({ name: 'without a bug', run: trySound });
const total = trials.length;
await Promise.all(Array.from({ length: Number(options.workers) }, work));

const missed = [...outcomes].filter(([, outcome]) => outcome !== 'caught' && outcome !== 'passes');
console.log('\n| Mutation | What it would do | Caught by | |\n|---|---|---|---|');
for (const { name, harm, caughtBy } of chosen)
  console.log(`| ${name} | ${harm} | ${caughtBy.file} | ${outcomes.get(name) ?? 'not tried'} |`);
for (const [name, outcome] of missed) console.error(`\nVIOLATION ${name}: ${outcome}`);
console.log(`\n${chosen.length} bugs, ${missed.length} violations, ${seconds()} s`);
process.exit(missed.length === 0 ? 0 : 1);

async function work(): Promise<void> {
  const database = await startEmbeddedDatabase({ folder: temporaryFolderInMemory('mutation'), keep: false });
  for (let trial = trials.shift(); trial; trial = trials.shift()) {
    const outcome = await trial.run(database.url).catch((error: unknown) => String(error));
    outcomes.set(trial.name, outcome);
    console.log(`${seconds()} s  ${outcomes.size}/${total}  ${trial.name}: ${outcome}`);
  }
  await database.stop();
}

async function trySound(databaseUrl: string): Promise<string> {
  const files = [...new Set(chosen.map(({ caughtBy }) => caughtBy.file))];
  const titles = [...new Set(chosen.flatMap(({ caughtBy }) => caughtBy.titles))];
  const copy = copyWith(null);
  try {
    const verdicts = await runTests({ ...copy, databaseUrl }, files, titles);
    const unknown = titles.find((title) => !verdicts.some((verdict) => verdict.title.includes(title)));
    if (unknown) return `no test is called "${unknown}"`;
    const failed = verdicts.find(({ status }) => status === 'failed');
    return failed ? `fails already: ${failed.title}: ${failed.reason}` : 'passes';
  } finally {
    copy.remove();
  }
}

async function tryBug(bug: Mutation, databaseUrl: string): Promise<string> {
  const { file, titles } = bug.caughtBy;
  const copy = copyWith(bug);
  try {
    const verdicts = await runTests({ ...copy, databaseUrl }, [file], titles);
    for (const title of titles) {
      const titled = verdicts.filter((verdict) => verdict.title.includes(title));
      const failed = titled.filter(({ status }) => status === 'failed');
      if (failed.length === 0) return `not noticed by "${title}"`;
      const other = failed.find((verdict) => !isItsOwn(verdict));
      if (other) return `"${title}" failed over something else: ${other.reason}`;
    }
    return 'caught';
  } finally {
    copy.remove();
  }
}

function seconds(): number {
  return Math.round((Date.now() - began) / 1_000);
}
