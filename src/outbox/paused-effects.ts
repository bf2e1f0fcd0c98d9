// Operators can pause a type of effect. Its effects stay queued. Every process reads the list of paused types once a second.

import { listPausedTypes } from '../tables/effect-pauses/statements.ts';
import type { Db } from '../tables/orm.ts';
import { rememberFor } from './remember-for.ts';

/** How long after a pause a process may still run effects of the type, because it remembers an older list. */
export const PAUSES_KNOWN_FOR_MS = 1_000;

/** Returns a function that reads the paused types. It rejects if the table cannot be read. No effect runs then. */
export const rememberPauses = (db: Db): (() => Promise<ReadonlySet<string>>) =>
  rememberFor(PAUSES_KNOWN_FOR_MS, () => readPauses(db));

const readPauses = async (db: Db): Promise<ReadonlySet<string>> =>
  new Set((await listPausedTypes(db, {})).map(({ type }) => type));
