// The kinds of effect that operators hold back. The queue asks before it takes each job; the table is read once a second.
import type { App } from '../app.ts';

const KNOWN_FOR_MS = 1_000;

/** @returns the flags of jobs to leave where they are; while that cannot be read, it throws and no job is taken. */
export function createHeldBack(app: Pick<App, 'db'>): () => Promise<string[] | null> {
  let known: Promise<string[] | null> | null = null;
  let knownUntil = 0;

  const read = async (): Promise<string[] | null> => {
    const pauses = await app.db.selectFrom('effect_pauses').select('type').execute();
    // The queue looks for jobs faster when it has nothing to leave out.
    return pauses.length > 0 ? pauses.map(({ type }) => type) : null;
  };

  return () => {
    const now = performance.now();
    if (known === null || now > knownUntil) {
      knownUntil = now + KNOWN_FOR_MS;
      known = read();
      known.catch(() => {
        known = null;
      });
    }
    return known;
  };
}
