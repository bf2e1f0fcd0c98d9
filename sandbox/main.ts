// The sandbox as a process of its own.
import { runSandbox } from './run.ts';

await runSandbox();
