// The engine of a test file: each test gets a new one, on the file's own database.
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type BareEngine, type BareEngineOptions, createBareEngine, deleteWork } from './bare-engine.ts';

/**
 * Gives each test an engine without work. Its parts are empty until the tests begin.
 * @returns the engine, its database, and a function that replaces the engine by one with other options.
 */
export function useBareEngine(options: BareEngineOptions = {}): {
  engine: BareEngine;
  database: TestDatabase;
  restart: (options: BareEngineOptions) => Promise<void>;
} {
  const engine = {} as BareEngine;
  const database = {} as TestDatabase;
  const start = async (chosen: BareEngineOptions): Promise<void> => {
    Object.assign(engine, await createBareEngine(database.url, chosen));
  };
  beforeAll(async () => {
    Object.assign(database, await createTestDatabase());
  });
  beforeEach(() => start(options));
  afterEach(async () => {
    await deleteWork(engine);
    await engine.close();
  });
  // A database that was not created has already failed the file.
  afterAll(() => database.drop?.());
  const restart = async (chosen: BareEngineOptions): Promise<void> => {
    await engine.close();
    await start(chosen);
  };
  return { engine, database, restart };
}
