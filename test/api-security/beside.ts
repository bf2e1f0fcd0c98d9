// An honest client during another load: it reads, requests prices, and must be answered all the time.
import { setTimeout as pause } from 'node:timers/promises';
import { must, type Person, quote } from '../support/person.ts';

/** Generous: a busy machine is no fault, denial of service is. In milliseconds, for each answer. */
const WITHIN_MS = 30_000;

export type Served = { answers: number; slowestMs: number };

/**
 * Runs `work` while the honest client goes on.
 * @throws when the client is refused anything, or is not answered in time.
 */
export async function beside<Result>(
  person: Person,
  act: () => Promise<Result>,
): Promise<{ result: Result; served: Served }> {
  let isOver = false;
  const served: Served = { answers: 0, slowestMs: 0 };
  const living = live(person, served, () => isOver);
  // It is awaited below; until then its rejection must not count as unhandled.
  living.catch(() => undefined);
  const result = await act().finally(() => {
    isOver = true;
  });
  await living;
  if (served.slowestMs > WITHIN_MS) throw new Error(`an honest answer took ${served.slowestMs} ms`);
  return { result, served };
}

/** At least one round, also when the work is over immediately. */
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
