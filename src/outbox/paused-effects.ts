// Kinds of effects can be paused by operators: they stay queued. Every process reads the list of paused kinds once a second.
import type { Db } from '../database/orm.ts';
import { listPausedTypes } from '../sql/effect-pauses.ts';
import { rememberFor } from '../time/remember-for.ts';

/** After a pause a process may carry out effects of the kind for as long as this, by what it had read before. */
export const PAUSES_KNOWN_FOR_MS = 1_000;

/** @returns what tells the paused kinds. It rejects while the table cannot be read: then no effect is carried out. */
export const rememberPauses = (db: Db): (() => Promise<ReadonlySet<string>>) =>
  rememberFor(PAUSES_KNOWN_FOR_MS, () => readPauses(db));

const readPauses = async (db: Db): Promise<ReadonlySet<string>> =>
  new Set((await listPausedTypes(db, {})).map(({ type }) => type));
