// An honest client during another load. It reads and requests quotes, and must be answered all the time.
import { setTimeout as pause } from 'node:timers/promises';
import { must, type Person, quote } from '../support/person.ts';

export type Served = { answers: number };

/**
 * Runs `act` while the honest client sends requests.
 * @throws if the client is refused anything.
 */
export async function beside<Result>(
  person: Person,
  act: () => Promise<Result>,
): Promise<{ result: Result; served: Served }> {
  let isOver = false;
  const served: Served = { answers: 0 };
  const living = live(person, served, () => isOver);
  // The promise is awaited below. Until then, its rejection must not count as unhandled.
  living.catch(() => undefined);
  const result = await act().finally(() => {
    isOver = true;
  });
  await living;
  return { result, served };
}

/** Sends at least one round of requests, even if the other load is over immediately. */
async function live(person: Person, served: Served, isOver: () => boolean): Promise<void> {
  do {
    for (const ask of rounds) {
      await ask(person);
      served.answers += 1;
    }
    await pause(20);
  } while (!isOver());
}

const rounds: ((person: Person) => Promise<unknown>)[] = [
  async ({ api }) => must(await api.GET('/me')),
  async ({ api }) => must(await api.GET('/transactions')),
  (person) => quote(person, 10),
];
