// Runs the sandbox as a process: the environment configures it, and a signal stops it.
import type { RequestHandler } from 'express';
import { optionsFrom } from './options.ts';
import { startSandbox } from './sandbox.ts';

/** @param pages additional pages, by the path that they are served under. */
export async function runSandbox(pages: Record<string, RequestHandler> = {}): Promise<void> {
  try {
    const sandbox = await startSandbox({ ...optionsFrom(process.env), pages });
    console.log(`sandbox ready at ${sandbox.url}`);
    // `disconnect`: the parent process has ended and cannot stop this process any more.
    for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const)
      process.once(signal, () => void sandbox.close().then(() => process.exit(0)));
  } catch (error) {
    console.error(`sandbox cannot start: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  }
}
