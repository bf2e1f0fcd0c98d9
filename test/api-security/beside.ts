// An honest client beside whatever else goes on: it reads, is priced, and must be answered all the while.
import { setTimeout as pause } from 'node:timers/promises';
import { must, type Person, quote } from '../support/person.ts';

/** Generous: a busy machine is no fault, being shut out is. In milliseconds, for each answer. */
const WITHIN_MS = 30_000;

export type Served = { answers: number; slowestMs: number };

/**
 * Does something while the person goes on with what people do.
 * @throws when the person is refused anything, or is not answered in time.
 */
export async function beside<Result>(
  person: Person,
  act: () => Promise<Result>,
): Promise<{ result: Result; served: Served }> {
  let isOver = false;
  const served: Served = { answers: 0, slowestMs: 0 };
  const living = live(person, served, () => isOver);
  // It is waited for below; until then its fault is nobody's.
  living.catch(() => undefined);
  const result = await act().finally(() => {
    isOver = true;
  });
  await living;
  if (served.slowestMs > WITHIN_MS) throw new Error(`an honest answer took ${served.slowestMs} ms`);
  return { result, served };
}

/** At least one round, also beside something that is over at once. */
async function live(person: Person, served: Served, isOver: () => boolean): Promise<void> {
  do {
    for (const ask of rounds) {
      const begun = performance.now();
      await ask(person);
      served.answers += 1;
      served.slowestMs = Math.max(served.slowestMs, Math.round(performance.now() - begun));
    }
    await pause(20);
  } while (!isOver());
}

const rounds: ((person: Person) => Promise<unknown>)[] = [
  async ({ api }) => must(await api.GET('/me')),
  async ({ api }) => must(await api.GET('/transactions')),
  (person) => quote(person, 10),
];
