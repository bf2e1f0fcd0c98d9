// The four scenarios: each disturbs the processes while users pay, measures the effects, and names the violations.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { HEARTBEAT } from '../../harness/database-proxy/database-proxy.ts';
import { seconds } from '../../harness/report.ts';
import { logOf, type Stack } from '../stack/stack.ts';
import { catchWorking, untilWorking } from './catch-working.ts';
import { freezeDatabase } from './freeze-database.ts';
import { leasesOf, ownerOf, ownersIn, takenUp } from './held-work.ts';
import { killAgainAndAgain } from './kills.ts';
import type { ScenarioName } from './options.ts';
import {
  DEAD_AFTER_SECONDS,
  type Result,
  type Scenario,
  type Surroundings,
  TAKEN_UP_WITHIN_MS,
} from './scenario.ts';

/** A process that counted as dead notices it with its next heartbeat. */
const BACK_WITHIN_MS = 10_000;

export const scenarios: Record<ScenarioName, Scenario> = {
  paused: { title: 'A process is stopped in the middle of work, and continued', processes: 3, run: paused },
  frozen: { title: 'The database is frozen under four processes', processes: 4, run: frozen },
  cut: { title: 'The connections of heartbeats are cut', processes: 4, run: cut },
  killed: { title: 'Processes that hold work are killed', processes: 4, run: killAgainAndAgain },
};

async function paused({ stack, pool, options }: Surroundings): Promise<Result> {
  const [child] = stack.instances;
  if (!child) throw new Error('there is no instance');
  const { pid, owner, leases, stoppedAt } = await catchWorking(pool, child);
  const at = await takenUp(pool, leases, options.pausedMs - (performance.now() - stoppedAt));
  await pause(Math.max(0, options.pausedMs - (performance.now() - stoppedAt)));
  process.kill(pid, 'SIGCONT');
  const backMs = await msUntil(async () => {
    const now = await ownerOf(pool, pid);
    return now !== null && now !== owner;
  });
  const worksAgainMs = await msUntil(async () => {
    const now = await ownerOf(pool, pid);
    return now !== null && (await leasesOf(pool, now)).length > 0;
  });
  const slowestMs = at.size === 0 ? null : Math.max(...at.values()) - stoppedAt;
  return {
    rows: [
      ['stopped for', seconds(options.pausedMs)],
      ['pieces of work it held', String(leases.length)],
      ['another process took over the last of them after', seconds(slowestMs)],
      ['after it was continued it had another id after', seconds(backMs)],
      ['and held work again after', seconds(worksAgainMs)],
    ],
    violations: [
      ...leases.filter(({ id }) => !at.has(id)).map(({ kind, id }) => `${kind} ${id} was not taken over`),
      ...(slowestMs !== null && slowestMs > TAKEN_UP_WITHIN_MS
        ? [`work was taken over only after ${seconds(slowestMs)}`]
        : []),
      ...(backMs === null ? ['the continued process kept the id under which it counted as dead'] : []),
      ...(worksAgainMs === null ? ['the continued process does no work any more'] : []),
    ],
  };
}

async function frozen({ stack, pool, options }: Surroundings): Promise<Result> {
  const before = await ownersIn(pool);
  const lines = takeoversIn(stack);
  const held = await untilWorking(pool, before);
  await freezeDatabase(stack.database.folder, options.frozenMs);
  // A process that measured time across the freeze would have taken another process for dead by now.
  await pause(2 * DEAD_AFTER_SECONDS * 1_000);
  const after = await ownersIn(pool);
  const takeovers = takeoversIn(stack) - lines;
  const gone = before.filter((owner) => !after.includes(owner));
  return {
    rows: [
      ['frozen for', seconds(options.frozenMs)],
      [
        'processes before, and with the same id afterwards',
        `${before.length}, ${before.length - gone.length}`,
      ],
      ['pieces of work held just before', String(held.length)],
      ['takeovers', String(takeovers)],
    ],
    violations: [
      ...gone.map((owner) => `the living process ${owner} counted as dead`),
      ...(takeovers > 0 ? [`${takeovers} takeovers, though every process lived`] : []),
    ],
  };
}

async function cut({ stack, pool, options }: Surroundings): Promise<Result> {
  const [flickering, dark] = stack.instances;
  const [ofFlickering, ofDark] = stack.proxies;
  const [pid, darkPid] = [flickering?.current()?.pid, dark?.current()?.pid];
  if (pid === undefined || darkPid === undefined) throw new Error('an instance is not running');
  const [owner, darkOwner] = await Promise.all([ownerOf(pool, pid), ownerOf(pool, darkPid)]);
  if (owner === null || darkOwner === null) throw new Error('an instance has no id');
  const endsAt = performance.now() + options.cutMs;
  let cuts = 0;
  const again = async (): Promise<void> => {
    for (; performance.now() < endsAt; cuts += 1) {
      ofFlickering?.cut(HEARTBEAT);
      await pause(1_500);
    }
  };
  const sawTakeover = msUntil(async () => !(await ownersIn(pool)).includes(darkOwner), options.cutMs);
  const letBack = async (): Promise<number | null> => {
    const isCutOff = ofDark?.cutOff(HEARTBEAT);
    await pause(options.cutMs);
    isCutOff?.goOn();
    return msUntil(async () => {
      const now = await ownerOf(pool, darkPid);
      return now !== null && now !== darkOwner;
    });
  };
  const [takenOverMs, backMs] = await Promise.all([sawTakeover, letBack(), again()]);
  const left = await leasesOf(pool, darkOwner);
  const isSame = (await ownersIn(pool)).includes(owner);
  return {
    rows: [
      ['one heartbeat cut so often, and let through between', `${cuts} in ${seconds(options.cutMs)}`],
      ['that process counted as dead', isSame ? 'never' : 'yes'],
      ['another heartbeat cut off for', seconds(options.cutMs)],
      ['that process counted as dead after', seconds(takenOverMs)],
      ['when it was let through again it had another id after', seconds(backMs)],
    ],
    violations: [
      ...(isSame ? [] : ['a process whose heartbeat came through between the cuts counted as dead']),
      ...(takenOverMs === null || takenOverMs > TAKEN_UP_WITHIN_MS
        ? [`a process without a heartbeat was taken over after ${seconds(takenOverMs)}`]
        : []),
      ...left.map(({ kind, id }) => `${kind} ${id} is still leased to a process that was taken over`),
      ...(backMs === null ? ['a process whose heartbeat came back did not get another id'] : []),
    ],
  };
}

/** How often a process of the stack declared another process dead, or found itself declared dead, from their logs. */
const takeoversIn = ({ folder, instances }: Stack): number =>
  instances
    .map((_child, index) => readFileSync(logOf(folder, index), 'utf8'))
    .flatMap((text) => [...text.matchAll(/outbox\.(peer_dead|replaced)/g)]).length;

/** How long it takes until the condition is true, in milliseconds. Null if it is not true in time. */
async function msUntil(isSo: () => Promise<boolean>, withinMs = BACK_WITHIN_MS): Promise<number | null> {
  const begun = performance.now();
  for (; performance.now() - begun < withinMs; await pause(50))
    if (await isSo()) return performance.now() - begun;
  return null;
}
