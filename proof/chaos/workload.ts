// Everybody's errands, spread over the storm and done by so many people at once.
import { setTimeout as pause } from 'node:timers/promises';
import { createRandom } from '../random.ts';
import type { Counts } from './counts.ts';
import type { Options } from './options.ts';
import { pay, type Street } from './payments.ts';
import { join, type Person, payIn, type Town } from './people.ts';
import { withdraw } from './withdraws.ts';

type Errand = { atMs: number; do: () => Promise<void> };

const SIGN_UPS_AT_ONCE = 8;
/** Enough for everything that one person will pay on average, several times over; the poor have next to nothing. */
const PLENTY = '20000.00';
const LITTLE = '30.00';
const isPoor = (index: number): boolean => index % 10 === 7;

/** Signs everybody up in fair weather. */
export async function gather(town: Town, users: number): Promise<Person[]> {
  const people: Person[] = [];
  const waiting = Array.from({ length: users }, (_, index) => index);
  await Promise.all(
    Array.from({ length: SIGN_UPS_AT_ONCE }, async () => {
      for (let index = waiting.shift(); index !== undefined; index = waiting.shift()) {
        const person = await join(town, index);
        await payIn(town, person, isPoor(index) ? LITTLE : PLENTY);
        people[index] = person;
      }
    }),
  );
  return people;
}

/** @returns once every errand is done; those that could not be done are told of. */
export async function runErrands(
  town: Town,
  street: Street,
  people: Person[],
  options: Options,
): Promise<string[]> {
  const plan = planErrands(town, street, people, options);
  const begun = Date.now();
  const failures: string[] = [];
  await Promise.all(
    Array.from({ length: options.concurrency }, async () => {
      for (let errand = plan.shift(); errand; errand = plan.shift()) {
        await pause(Math.max(0, begun + errand.atMs - Date.now()));
        await errand.do().catch((error: unknown) => void failures.push(String(error)));
      }
    }),
  );
  return failures;
}

function planErrands(
  town: Town,
  street: Street,
  people: Person[],
  { seed, payments, withdraws, stormMs }: Options,
): Errand[] {
  const random = createRandom(seed, 'errands');
  const [first, ...others] = people.filter((_, index) => !isPoor(index));
  const poor = people.filter((_, index) => isPoor(index));
  if (!first) throw new Error('nobody has money');
  const rich: [Person, ...Person[]] = [first, ...others];
  let number = 0;
  const errands = (count: number, work: (person: Person, index: number) => Promise<void>): Errand[] =>
    Array.from({ length: count }, () => {
      const person = random.pick(rich);
      const index = (number += 1);
      return { atMs: random.next() * stormMs, do: () => work(person, index) };
    });
  const own = (index: number) => createRandom(seed, `errand ${index}`);
  return [
    ...errands(payments, (person, index) => pay(street, person, own(index))),
    ...errands(withdraws, (person, index) => withdraw(street, person, own(index))),
    ...errands(Math.ceil(payments / 15), (person, index) =>
      payIn(town, person, `${own(index).between(10, 999)}.50`),
    ),
    // They are refused most of the time, and what races for their last pounds must not get more than there is.
    ...poor.flatMap((person) =>
      errands(4, (_, index) => withdraw(street, person, own(index)).catch(() => undefined)),
    ),
    ...errands(Math.ceil(people.length / 10), async (_, index) => {
      await join(town, people.length + index);
      town.counts.newcomers += 1;
    }),
  ].toSorted((one, other) => one.atMs - other.atMs);
}

export const isDone = ({ accepted }: Counts, { payments, withdraws }: Options): boolean =>
  accepted.payments >= payments && accepted.withdraws >= withdraws;
