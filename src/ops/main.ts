// `npm run ops`: the operators' command line. Compiled code is kept between calls, which must be asked for before the
// rest is loaded.
import { enableCompileCache } from 'node:module';

enableCompileCache();
const { runOps } = await import('./cli.ts');

// The reader may close the pipe early: `npm run ops -- webhooks | head`.
process.stdout.on('error', () => process.exit(0));

// The first Ctrl-C ends long work at its next page; the second one kills the process.
const stopping = new AbortController();
process.once('SIGINT', () => stopping.abort());

process.exitCode = await runOps(process.argv.slice(2), {
  env: process.env,
  out: process.stdout,
  err: process.stderr,
  signal: stopping.signal,
  start: async (env) => (await import('./start.ts')).startOps(env),
});
