// `npm run chaos`: real processes under fault injection, killed again and again while users pay and withdraw; then
// quiet, one reconciliation, and an auditor who compares both sides of the books. Exits with 1 when anything does not
// hold. However it ends, it stops everything that it started.
import { runInFolder } from '../run-in-folder.ts';
import { readOptions } from './options.ts';
import { run } from './run.ts';

const options = readOptions(process.argv.slice(2));

await runInFolder('ponte-chaos-', options, async (folder, atEnd) => {
  const held = await run(options, folder, atEnd);
  if (!held) {
    const imperfect = options.imperfectProvider ? ' --imperfect-provider' : '';
    const smallDisk = options.smallDisk ? ' --small-disk' : '';
    console.error(`\nTo repeat it: npm run chaos -- --seed ${options.seed}${imperfect}${smallDisk}`);
  }
  return held;
});
