// Runs the sandbox as a separate process.
import { runSandbox } from './run.ts';

await runSandbox();
