// Tests run against a real PostgreSQL and real HTTP; a file gets a database of its own, copied from a migrated template. Files that
// load `test/support/database.ts` are the project `database`. The others are `no-database`: for them alone no PostgreSQL starts.
import { defineConfig } from 'vitest/config';
import { loading, sourcesIn } from './test/support/sources.ts';

// Each file has a process of its own, and many tests start the service as one: all of them share what Node.js has compiled.
process.env['NODE_COMPILE_CACHE'] ??= new URL('node_modules/.cache/compiled', import.meta.url).pathname;

const sources = sourcesIn('bench', 'machines', 'proof', 'sandbox', 'scripts', 'src', 'test');
const database = [...loading('test/support/database.ts', sources)].filter((file) =>
  file.endsWith('.test.ts'),
);

export default defineConfig({
  test: {
    setupFiles: ['test/support/compiled.setup.ts'],
    pool: 'forks',
    maxWorkers: 4,
    // Tests that run beside each other mostly wait: for retries, time-outs and checks.
    maxConcurrency: 20,
    // These limits only end a test that hangs. They are long because a busy machine makes every test slow.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    coverage: { include: ['src/**', 'machines/**'], exclude: ['src/platform/migrations/**'] },
    projects: [
      { extends: true, test: { name: 'no-database', include: ['test/**/*.test.ts'], exclude: database } },
      {
        extends: true,
        test: { name: 'database', include: database, globalSetup: ['test/support/database.global.ts'] },
      },
    ],
  },
});
