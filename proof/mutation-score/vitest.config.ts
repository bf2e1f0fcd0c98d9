// The tests that decide in `npm run mutation-score`: they load no database, and each file takes about a second.
import path from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: path.resolve(import.meta.dirname, '../..'),
  test: {
    include: [
      'test/{domain,machines,payments/pricing}/**/*.test.ts',
      'test/provider/{mapping,quote-reply}.test.ts',
    ],
    exclude: ['test/machines/pix-payment.model.test.ts'],
    setupFiles: ['proof/mutation-score/seed.setup.ts'],
    isolate: false,
  },
});
