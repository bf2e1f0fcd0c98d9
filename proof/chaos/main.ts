// `npm run chaos`: real processes are killed again and again while users pay and withdraw. Then the faults end, one reconciliation
// runs, and an auditor compares both sides of the books. Exits with 1 if anything does not hold. However the run ends, it stops
// everything that it started.
import { ROOT } from '../../harness/processes/node-process.ts';
import { copyWith } from '../mutations/apply.ts';
import { mutations } from '../mutations/mutations.ts';
import { type AtEnd, runInFolder } from '../run-in-folder.ts';
import { readOptions } from './options.ts';
import { run } from './run.ts';

const options = readOptions(process.argv.slice(2));
const mutation = mutations.find(({ name }) => name === options.mutation) ?? null;
if (options.mutation !== null && mutation === null)
  throw new Error(`no mutation is called "${options.mutation}"`);

await runInFolder('chaos', options, async (folder, atEnd) => {
  const held = await run(options, { folder, serviceFolder: mutated(atEnd) }, atEnd);
  if (!held) {
    console.error(
      `\nTo repeat it: npm run chaos -- ${process.argv.slice(2).join(' ')} --seed ${options.seed}`,
    );
  }
  return held;
});

/** @returns the folder of the project whose service runs. */
function mutated(atEnd: AtEnd): string {
  if (mutation === null) return ROOT;
  const { folder, remove } = copyWith(mutation);
  atEnd(async () => remove());
  return folder;
}
