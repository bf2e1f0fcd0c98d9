// Tests run against a real PostgreSQL and real HTTP; a file gets a database of its own, copied from a migrated template. Files that
// load `test/support/database.ts` are the project `database`. The others are `no-database`: for them alone no PostgreSQL starts.
// A worker runs many files, one after the other, and loads the modules that they share once. The files of the project `alone` have
// a process of their own.
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { loading, sourcesIn } from './test/support/sources.ts';

// Workers and the processes that tests start share what Node.js has compiled.
process.env['NODE_COMPILE_CACHE'] ??= new URL('node_modules/.cache/compiled', import.meta.url).pathname;

const sources = sourcesIn('bench', 'machines', 'proof', 'sandbox', 'scripts', 'src', 'test');
const database = [...loading('test/support/database.ts', sources)].filter((file) =>
  file.endsWith('.test.ts'),
);

/** Files that need a process of their own, or that change one for the files after them. */
const alone = [
  // They load other test files, with another clock.
  'test/flows/clock-ahead.test.ts',
  'test/flows/clock-behind.test.ts',
  // It removes globals that React Native lacks.
  'test/client/react-native.test.ts',
  // It reads Portuguese, as a browser of a Brazilian does.
  'test/phone/in-portuguese.test.ts',
  // It counts the resources that the process holds.
  'test/start/released.test.ts',
];
/** It loads clients that generators wrote for a bundler: their imports have no extensions. */
const bundled = ['test/openapi/client-journeys.test.ts'];
/**
 * Tests of what surrounds the service: proofs, benchmarks, scripts, the sandbox, and the phone screen by screen. `npm test` keeps the
 * phone's main journeys. Two files repeat stories with the clock of the process ahead or behind. `npm run test:all`, which the
 * nightly run calls, runs all these too, and so does a call that names files or folders.
 */
const around =
  /^test\/(?:(?:bench|dependencies|proof|sandbox|scripts)\/|browser\/(?:phone-|console)|flows\/clock-|start\/process\/left-behind)/;
const runsAll = process.env['TEST_ALL'] !== undefined || process.argv.some((one) => one.startsWith('test/'));
const leftOut = runsAll ? [] : sources.map(({ file }) => file).filter((file) => around.test(file));

/** Files that take minutes and mostly wait. A run is as long as the file that ends last, so they begin first. */
const long = [
  'test/start/process/left-behind.test.ts',
  'test/bench/benchmarks.test.ts',
  'test/flows/one-operation-fails.test.ts',
  'test/docs/tour.test.ts',
];

const isLong = ({ moduleId }: TestSpecification): boolean => long.some((file) => moduleId.endsWith(file));

class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is the sequencer's own method
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => Number(isLong(other)) - Number(isLong(one)));
  }
}

const withDatabase = {
  globalSetup: ['test/support/database.global.ts'],
  setupFiles: ['test/support/leaks.setup.ts'],
};

export default defineConfig({
  test: {
    setupFiles: ['test/support/compiled.setup.ts'],
    pool: 'forks',
    // A test allocates much and keeps little. With room for it, the collector of young objects runs a quarter as often.
    execArgv: ['--max-semi-space-size=64'],
    isolate: false,
    // Node.js loads the files, as it loads the service: nothing is transformed, and no module can be mocked. While files are watched,
    // Vite loads them again when they change.
    experimental: { viteModuleRunner: process.argv.includes('watch') },
    sequence: { sequencer: LongFilesFirst },
    maxWorkers: 5,
    // Tests that run beside each other mostly wait: for retries, time-outs and checks.
    maxConcurrency: 20,
    // These limits only end a test that hangs. They are long because a busy machine makes every test slow.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    coverage: { include: ['src/**', 'machines/**'], exclude: ['src/tables/migrations/**'] },
    projects: [
      {
        extends: true,
        test: {
          name: 'no-database',
          include: ['test/**/*.test.ts'],
          exclude: [...database, ...alone, ...bundled, ...leftOut],
        },
      },
      {
        extends: true,
        test: {
          name: 'database',
          include: database,
          exclude: [...alone, ...bundled, ...leftOut],
          ...withDatabase,
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: alone, exclude: leftOut, isolate: true, ...withDatabase },
      },
      {
        extends: true,
        test: {
          name: 'bundled',
          include: bundled,
          experimental: { viteModuleRunner: true },
          ...withDatabase,
        },
      },
    ],
  },
});
