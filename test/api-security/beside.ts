// An honest client during another load. It reads and requests quotes, and must be answered all the time.
import { setTimeout as pause } from 'node:timers/promises';
import { must, type Person, quote } from '../support/person.ts';

/**
 * The limit for each answer, in milliseconds. It is generous, because a slow answer of a busy machine is not a denial of
 * service.
 */
const WITHIN_MS = 30_000;

export type Served = { answers: number; slowestMs: number };

/**
 * Runs `act` while the honest client sends requests.
 * @throws if the client is refused anything or is not answered in time.
 */
export async function beside<Result>(
  person: Person,
  act: () => Promise<Result>,
): Promise<{ result: Result; served: Served }> {
  let isOver = false;
  const served: Served = { answers: 0, slowestMs: 0 };
  const living = live(person, served, () => isOver);
  // The promise is awaited below. Until then, its rejection must not count as unhandled.
  living.catch(() => undefined);
  const result = await act().finally(() => {
    isOver = true;
  });
  await living;
  if (served.slowestMs > WITHIN_MS) throw new Error(`an honest answer took ${served.slowestMs} ms`);
  return { result, served };
}

/** Sends at least one round of requests, even if the other load is over immediately. */
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
