// Tests run against a real PostgreSQL and real HTTP; a file gets a database of its own, copied from a migrated template.
import { defineConfig } from 'vitest/config';

// Each file has a process of its own, and many tests start the service as one: all of them share what Node.js has compiled.
process.env['NODE_COMPILE_CACHE'] ??= new URL('node_modules/.cache/compiled', import.meta.url).pathname;

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/database.global.ts'],
    setupFiles: ['test/support/compiled.setup.ts'],
    pool: 'forks',
    maxWorkers: 4,
    // Tests that run beside each other mostly wait: for retries, time-outs and checks.
    maxConcurrency: 20,
    // Generous: a busy machine is no fault, and what hangs is still found out.
    testTimeout: 60_000,
    hookTimeout: 90_000,
    coverage: { include: ['src/**', 'machines/**'], exclude: ['src/migrations/**'] },
  },
});
