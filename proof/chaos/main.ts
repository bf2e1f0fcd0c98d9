// `npm run chaos`: real processes under fault injection, killed again and again while users pay and withdraw; then
// quiet, one reconciliation, and an auditor who compares both sides of the books. Exits with 1 when anything does not
// hold. However it ends, it stops everything that it started.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reachableFolder } from '../../scripts/reachable-postgres.ts';
import { readOptions } from './options.ts';
import { run } from './run.ts';

const options = readOptions(process.argv.slice(2));
const folder = mkdtempSync(join(tmpdir(), 'ponte-chaos-'));
// The database may have to run as another user, who needs access to the folder.
chmodSync(folder, 0o755);
const endings: (() => Promise<void>)[] = [];
let isBrokenOff = false;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    if (isBrokenOff) return;
    isBrokenOff = true;
    console.error(`\n${signal}: stopping everything`);
    void end(130);
  });

try {
  const held = await run(options, folder, (ending) => endings.push(ending));
  if (!held) {
    const imperfect = options.imperfectProvider ? ' --imperfect-provider' : '';
    console.error(`\nTo repeat it: npm run chaos -- --seed ${options.seed}${imperfect}`);
  }
  await end(held ? 0 : 1);
} catch (error) {
  // Whatever a signal interrupted ends by itself, and its failures then mean nothing.
  if (isBrokenOff) await new Promise(() => undefined);
  console.error('\nThe run broke off:', error);
  await end(2);
}

/** Stops what was started, the last first; the data are kept when there is something to find in them. */
async function end(code: number): Promise<never> {
  for (const ending of endings.splice(0).toReversed())
    await ending().catch((error: unknown) => console.error('could not be stopped:', error));
  if (options.keep || code === 1 || code === 2) console.log(`Data, logs and journals: ${folder}`);
  else
    for (const place of [folder, reachableFolder(join(folder, 'database'))])
      rmSync(place, { recursive: true, force: true });
  process.exit(code);
}
