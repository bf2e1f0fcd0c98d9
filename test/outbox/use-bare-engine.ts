// The engine of a test file: each test gets a new one, on the file's own database.
import { afterEach, beforeEach } from 'vitest';
import type { TestDatabase } from '../support/database.ts';
import { useDatabase } from '../support/use-database.ts';
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
  const database = useDatabase();
  const start = async (chosen: BareEngineOptions): Promise<void> => {
    Object.assign(engine, await createBareEngine(database.url, chosen));
  };
  beforeEach(() => start(options));
  afterEach(async () => {
    await deleteWork(engine);
    await engine.close();
  });
  const restart = async (chosen: BareEngineOptions): Promise<void> => {
    await engine.close();
    await start(chosen);
  };
  return { engine, database, restart };
}
