// The tests that decide in `npm run mutation-score -- --database`. Each worker of Stryker runs them one after the other, on a
// database server of its own.
import path from 'node:path';
import { defineConfig } from 'vitest/config';

/** Folders of test/, separated by commas. */
const folders = process.env['MUTANT_TESTS'] ?? '';

export default defineConfig({
  root: path.resolve(import.meta.dirname, '../..'),
  test: {
    include: folders.split(',').map((folder) => `test/${folder}/**/*.test.ts`),
    // They load other test files, with another clock.
    exclude: ['test/flows/clock-*.test.ts'],
    globalSetup: ['test/support/database.global.ts'],
    setupFiles: ['test/support/leaks.setup.ts'],
    isolate: false,
    // A change may stop the service: then conditions never come about.
    env: { TEST_PATIENCE_MS: '30000' },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
