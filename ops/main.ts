// The entry point of `npm run ops`, the operators' command line. It enables Node's compile cache, which must happen before the other
// modules are loaded.
import { enableCompileCache } from 'node:module';

enableCompileCache();
const { runOps } = await import('./cli.ts');

// The reader may close the pipe early: `npm run ops -- webhooks | head`.
process.stdout.on('error', () => process.exit(0));

// The first Ctrl-C ends long work after its current page. The second one kills the process.
const stopping = new AbortController();
process.once('SIGINT', () => stopping.abort());

process.exitCode = await runOps(process.argv.slice(2), {
  env: process.env,
  out: process.stdout,
  err: process.stderr,
  signal: stopping.signal,
  start: async (env) => (await import('./start.ts')).startOps(env),
});
