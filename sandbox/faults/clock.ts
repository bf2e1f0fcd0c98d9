// The provider's clock as clients see it: right, ahead, behind, stepping back for a while, or in whole seconds. Due times always
// use the sandbox's own clock.
import type { Call } from '../provider/operation.ts';
import { isoTime, nextStamp } from '../time.ts';
import type { World } from '../world.ts';
import type { About } from './fault-injection.ts';
import { parameter, recordInjected, shouldInject, subjectOf } from './occurrence.ts';

/** The properties of a row that determine the stamp of its next change. */
export interface Stamped {
  uuid: string;
  updated_at: number;
  origin_id?: string;
  external_id?: string;
}

/** Converts a time of the sandbox's clock to the time that the provider's clock shows. */
export function shownTime({ faultInjection }: World, ms: number): number {
  const { clockAheadMs, clockBehindMs } = faultInjection.configuration().provider;
  return ms + clockAheadMs - clockBehindMs;
}

/** The first `updated_at` of what this call creates. A clock fault may begin here. */
export function firstStamp(world: World, call: Call | undefined, uuid: string): number {
  const coarse = shouldInject(world, 'coarseClock', call);
  if (call && coarse) {
    const coarseClockMs = parameter(world, coarse, 'coarseClockMs');
    world.faultInjection.lasting.begin('coarseClock', uuid, null, { coarseClockMs });
    recordInjected(world, 'coarseClock', { ...subjectOf(call), uuid }, { coarseClockMs });
  }
  const stamp = cut(world, uuid, timeNow(world));
  const jump = shouldInject(world, 'jumpingClock', call);
  if (call && jump) {
    const [backMs, forMs] = [parameter(world, jump, 'jumpBackMs'), parameter(world, jump, 'jumpForMs')];
    stepBack(world, { ...subjectOf(call), uuid }, { backMs, forMs });
  }
  return stamp;
}

/** The next `updated_at` of a resource. It is later than the last one, unless a clock fault is active. */
export function stampAfter(world: World, { uuid, updated_at: last, ...handles }: Stamped): number {
  const time = timeNow(world);
  const jump = jumpIn(world);
  const isCoarse = world.faultInjection.lasting.find('coarseClock', uuid, world.now()) !== undefined;
  if (!jump && !isCoarse) return nextStamp(time, last);
  const stamp = jump ? cut(world, uuid, time) : Math.max(cut(world, uuid, time), last);
  if (stamp < last) {
    const originId = handles.origin_id ?? handles.external_id ?? null;
    const details = { updated_at: isoTime(stamp), after: isoTime(last) };
    recordInjected(world, 'jumpingClock', { uuid, originId }, details);
  }
  return stamp;
}

/** Sets the clock back for a while. */
export function stepBack(
  world: World,
  about: About,
  { backMs, forMs }: { backMs: number; forMs: number },
): object {
  const until = world.now() + forMs;
  world.faultInjection.lasting.begin('jumpingClock', CLOCK, until, { backMs });
  const details = { back_ms: backMs, until: isoTime(until) };
  recordInjected(world, 'jumpingClock', about, details);
  return details;
}

/** The only subject of clock faults, because there is one clock. */
const CLOCK = 'clock';

const jumpIn = (world: World) => world.faultInjection.lasting.find('jumpingClock', CLOCK, world.now());

const timeNow = (world: World): number =>
  shownTime(world, world.now()) - Number(jumpIn(world)?.['backMs'] ?? 0);

/** Truncates the time to the unit of the resource's clock. */
function cut({ faultInjection }: World, uuid: string, time: number): number {
  const unit = faultInjection.lasting.find('coarseClock', uuid, time)?.['coarseClockMs'];
  const unitMs = Math.max(1, Number(unit ?? 1));
  return Math.floor(time / unitMs) * unitMs;
}
