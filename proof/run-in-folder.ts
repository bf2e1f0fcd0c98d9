// Runs a proof in its own folder: however the run ends, it stops everything that it started, and exits with 1 if anything does not
// hold. The data are kept if they may show something.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { reachableFolder } from '../harness/database/reachable-postgres.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

export type AtEnd = (stop: () => Promise<void>) => void;

/** @param run returns whether everything held. Its database is in a subfolder `database`, or in one of a subfolder. */
export async function runInFolder(
  name: string,
  { keep }: { keep: boolean },
  run: (folder: string, atEnd: AtEnd) => Promise<boolean>,
): Promise<never> {
  const folder = temporaryFolder(name);
  const endings: (() => Promise<void>)[] = [];
  let isBrokenOff = false;

  /** Stops what was started, the last part first. */
  const end = async (code: number): Promise<never> => {
    for (const ending of endings.splice(0).toReversed())
      await ending().catch((error: unknown) => console.error('could not be stopped:', error));
    if (keep || code === 1 || code === 2) console.log(`Data, logs and journals: ${folder}`);
    else
      for (const place of [folder, reachableFolder(join(folder, 'database'))])
        rmSync(place, { recursive: true, force: true });
    process.exit(code);
  };

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (isBrokenOff) return;
      isBrokenOff = true;
      console.error(`\n${signal}: stopping everything`);
      void end(130);
    });

  try {
    return await end((await run(folder, (ending) => endings.push(ending))) ? 0 : 1);
  } catch (error) {
    // Parts that a signal interrupted end by themselves, so their failures mean nothing.
    if (isBrokenOff) await new Promise(() => undefined);
    console.error('\nThe run broke off:', error);
    return end(2);
  }
}
