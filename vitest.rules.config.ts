// The tests that read sources and documents only: they need no database, so `npm run check` can run them in seconds.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/structure.test.ts', 'test/forbidden.test.ts', 'test/docs/**/*.test.ts'],
    pool: 'threads',
  },
});
