// The sandbox as a process of its own.
import { optionsFrom } from './options.ts';
import { startSandbox } from './sandbox.ts';

try {
  const sandbox = await startSandbox(optionsFrom(process.env));
  console.log(`sandbox ready at ${sandbox.url}`);
  // `disconnect`: a parent process that is gone cannot stop us any more.
  for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const)
    process.once(signal, () => void sandbox.close().then(() => process.exit(0)));
} catch (error) {
  console.error(`sandbox cannot start: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
