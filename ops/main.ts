// The entry point of `npm run ops`, the operators' command line. It enables Node's compile cache, which must happen before the other
// modules are loaded.
import { enableCompileCache } from 'node:module';
import { createInterface } from 'node:readline/promises';

enableCompileCache();
const { runOps } = await import('./cli.ts');

// The reader may close the pipe early: `npm run ops -- webhooks | head`.
process.stdout.on('error', () => process.exit(0));

// The first Ctrl-C ends long work after its current page. The second one kills the process.
const stopping = new AbortController();
process.once('SIGINT', () => stopping.abort());

async function readLine(asks: string): Promise<string> {
  if (process.stdin.isTTY) process.stderr.write(`${asks}: `);
  for await (const line of createInterface({ input: process.stdin })) return line;
  return '';
}

process.exitCode = await runOps(process.argv.slice(2), {
  env: process.env,
  out: process.stdout,
  err: process.stderr,
  readLine,
  signal: stopping.signal,
  start: async (env) => (await import('./start.ts')).startOps(env),
});
