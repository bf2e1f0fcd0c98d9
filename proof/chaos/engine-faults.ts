// Faults that do not end a process of the service. A process is paused for longer than the time after which it counts as dead. Its
// heartbeat, or all of its connections to the database, are cut. A user's calls or a rail hang. The provider answers an operation
// with a long Retry-After. On a small disk, the database has no free space for a while.
import { setTimeout as pause } from 'node:timers/promises';
import { type DatabaseProxy, HEARTBEAT } from '../../harness/database-proxy/database-proxy.ts';
import type { Random } from '../random.ts';
import type { Counts } from '../stack/counts.ts';
import type { CrashableDatabase } from '../stack/database.ts';
import type { Person } from '../stack/people.ts';
import { DEAD_AFTER_SECONDS, type Stack } from '../stack/stack.ts';
import { accountOf } from './accounts.ts';
import { dueBacklog } from './backlog.ts';
import { latePayout } from './late-payouts.ts';
import type { Options } from './options.ts';
import { orderFault } from './provider-faults.ts';
import { payInNobodysName } from './unordered-payouts.ts';
import type { Burst } from './workload.ts';

/** How long a process appears to be dead. By then, other processes have taken over its work. */
const SEEMS_DEAD_MS = (DEAD_AFTER_SECONDS + 3) * 1_000;
const SLOW_PERSONS_PAYMENTS = 12;
/** More than a minute, and less than the three minutes for which a refusal of a payout is pending. */
const LATE_MS: [min: number, max: number] = [65_000, 150_000];
const FULL_MS = 8_000;
const MAX_TRIES = 6;
const TRIED_AGAIN_MS = 3_000;
/** This is long for a run of this length; a real provider asks for minutes. */
const RETRY_AFTER_SECONDS = 25;

export type EngineFault = { name: string; inject: () => Promise<void> };

/** Returns one fault of each kind. The instances and the user are drawn at random. */
export function engineFaults(
  stack: Stack,
  random: Random,
  { people, burst }: { people: [Person, ...Person[]]; burst: Burst },
  counts: Counts,
  { imperfectProvider, lateRequests }: Options,
): EngineFault[] {
  const instance = (): number => random.between(0, stack.instances.length - 1);
  const [paused, cut, frozen] = [instance(), instance(), instance()];
  const slow = random.pick(people);
  return [
    { name: 'instances paused', inject: async () => stack.instances[paused]?.pause(SEEMS_DEAD_MS) },
    { name: 'heartbeats cut off', inject: async () => cutHeartbeat(stack.proxies[cut]) },
    {
      name: 'instances with frozen connections',
      inject: async () => void stack.proxies[frozen]?.freeze(),
    },
    {
      name: 'people whose calls hang',
      inject: async () => {
        const about = await accountOf(stack.database.url, slow, 'home');
        await orderFault(stack.sandboxUrl, {
          operation: 'createInternalTransfer',
          fault: 'hang',
          times: SLOW_PERSONS_PAYMENTS,
          about,
        });
        await burst(slow, SLOW_PERSONS_PAYMENTS);
      },
    },
    {
      name: 'rails that hang',
      inject: () =>
        orderFault(stack.sandboxUrl, {
          operation: 'createPayout',
          fault: 'hangingRail',
          details: { railDelayMs: 3_000, railHangsForMs: 8_000 },
        }),
    },
    {
      name: 'operations with a long Retry-After',
      inject: () =>
        orderFault(stack.sandboxUrl, {
          operation: 'createBankAccountValidation',
          fault: 'limitedOperation',
          details: { limitedForSeconds: RETRY_AFTER_SECONDS },
        }),
    },
    ...(imperfectProvider
      ? [
          {
            name: 'payouts in the name of nobody',
            inject: () => payInNobodysName(stack, random.pick(people), counts),
          },
        ]
      : []),
    ...(lateRequests
      ? [
          {
            name: 'payouts that are late and then refused',
            inject: () => latePayout(stack, random.pick(people), burst, random.between(...LATE_MS)),
          },
        ]
      : []),
    ...fullDisks(stack.database),
  ];
}

const fullDisks = ({ fillDisk }: CrashableDatabase): EngineFault[] =>
  fillDisk === null
    ? []
    : [
        { name: 'full disks', inject: () => fillDisk(FULL_MS, 'for tables') },
        { name: 'full disks, for the log as well', inject: () => fillDisk(FULL_MS, 'for tables and log') },
      ];

/** Cuts the heartbeat's connection until the instance counts as dead. Its other connections stay open. */
async function cutHeartbeat(proxy: DatabaseProxy | undefined): Promise<void> {
  const cut = proxy?.cutOff(HEARTBEAT);
  await pause(SEEMS_DEAD_MS);
  cut?.goOn();
}

/**
 * Counts the fault when it begins. If it cannot be injected, for example because the database is stopped, it is tried again. If
 * every try fails, this is an error of the run.
 */
export async function injectEngineFault({ name, inject }: EngineFault, counts: Counts): Promise<void> {
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const before = counts.engineFaults.get(name) ?? 0;
    counts.engineFaults.set(name, before + 1);
    try {
      return await inject();
    } catch (error) {
      counts.engineFaults.set(name, before);
      if (tries === MAX_TRIES) counts.notInjected.push(`${name}: ${String(error)}`);
      else await pause(TRIED_AGAIN_MS);
    }
  }
}

/** Happens once in a run: all instances are down, and thousands of rows are due when they start again. */
export const backlog = (stack: Stack, counts: Counts): EngineFault => ({
  name: 'backlogs of due work',
  inject: () => dueBacklog(stack, counts),
});
