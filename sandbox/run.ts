// Runs the sandbox as a process: the environment configures it, and a signal stops it.
import { optionsFrom, type SandboxOptions } from './options.ts';
import { startSandbox } from './sandbox.ts';

/** @param additions what the environment cannot say: further pages, and the client's handles. */
export async function runSandbox(
  additions: Partial<Pick<SandboxOptions, 'pages' | 'handlesOf'>> = {},
): Promise<void> {
  try {
    const options = { ...optionsFrom(process.env), ...additions };
    const sandbox = await startSandbox(options);
    // The port inside a container is not the published one.
    console.log(`sandbox ready at ${options.baseUrl ?? sandbox.url}`);
    const stop = () => void sandbox.close().then(() => process.exit(0));
    // `disconnect`: the parent process has ended and cannot stop this process any more.
    for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.once(signal, stop);
    if (process.send !== undefined && !process.connected) stop();
  } catch (error) {
    console.error(`sandbox cannot start: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  }
}
