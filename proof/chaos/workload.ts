// Every user's tasks, spread over the run, a limited number of them concurrently.
import { setTimeout as pause } from 'node:timers/promises';
import { PonteUnreachable } from '../../packages/client/src/index.ts';
import { createRandom } from '../random.ts';
import { isPoor, join, type Person, type Population, payIn, withMoney } from '../stack/people.ts';
import type { Options } from './options.ts';
import { pay, type Workload } from './payments.ts';
import { withdraw } from './withdraws.ts';

type Task = { atMs: number; do: () => Promise<void> };

/**
 * Runs every task.
 * @returns the failures, once every task is done.
 */
export async function runWorkload(
  population: Population,
  workload: Workload,
  people: Person[],
  options: Options,
): Promise<string[]> {
  const plan = planTasks(population, workload, people, options);
  const begun = Date.now();
  const failures: string[] = [];
  await Promise.all(
    Array.from({ length: options.concurrency }, async () => {
      for (let task = plan.shift(); task; task = plan.shift()) {
        await pause(Math.max(0, begun + task.atMs - Date.now()));
        await task.do().catch((error: unknown) => void failures.push(told(error)));
      }
    }),
  );
  return failures;
}

/** Makes this number of payments of the user concurrently. */
export type Burst = (person: Person, payments: number) => Promise<void>;

/** Many payments of one user at the same time. A payment that is not accepted is not an error: the user may have spent too much. */
export const burstOf =
  (workload: Workload, { seed }: Options): Burst =>
  async (person, payments) => {
    const paid = Array.from({ length: payments }, (_, index) =>
      pay(workload, person, createRandom(seed, `burst ${person.id} ${index}`)).catch(() => undefined),
    );
    await Promise.all(paid);
  };

/** If an answer never arrived, the typed client's error has the run's own error as its cause. */
const told = (error: unknown): string => String(error instanceof PonteUnreachable ? error.cause : error);

function planTasks(
  population: Population,
  workload: Workload,
  people: Person[],
  { seed, payments, withdraws, durationMs }: Options,
): Task[] {
  const random = createRandom(seed, 'errands');
  const rich = withMoney(people);
  const poor = people.filter((_, index) => isPoor(index));
  let number = 0;
  const tasks = (count: number, work: (person: Person, index: number) => Promise<void>): Task[] =>
    Array.from({ length: count }, () => {
      const person = random.pick(rich);
      const index = (number += 1);
      return { atMs: random.next() * durationMs, do: () => work(person, index) };
    });
  const own = (index: number) => createRandom(seed, `errand ${index}`);
  return [
    ...tasks(payments, (person, index) => pay(workload, person, own(index))),
    ...tasks(withdraws, (person, index) => withdraw(workload, person, own(index))),
    ...tasks(Math.ceil(payments / 15), (person, index) =>
      payIn(population, person, `${own(index).between(10, 999)}.50`),
    ),
    // These withdrawals are refused most of the time. Concurrent requests for a user's last pounds must not get more than there is.
    ...poor.flatMap((person) =>
      tasks(4, (_, index) => withdraw(workload, person, own(index)).catch(() => undefined)),
    ),
    ...tasks(Math.ceil(people.length / 10), async (_, index) => {
      await join(population, people.length + index);
      population.counts.newcomers += 1;
    }),
  ].toSorted((one, other) => one.atMs - other.atMs);
}
