// The provider's clock as clients see it: right, ahead, behind, stepping back for a while, or in whole seconds. Due times always
// use the sandbox's own clock.

import type { SandboxContext } from '../context.ts';
import type { Call } from '../provider/operation.ts';
import { isoTime, nextStamp } from '../time.ts';
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
export function shownTime({ faultInjection }: SandboxContext, ms: number): number {
  const { clockAheadMs, clockBehindMs } = faultInjection.configuration().provider;
  return ms + clockAheadMs - clockBehindMs;
}

/** The first `updated_at` of what this call creates. A clock fault may begin here. */
export function firstStamp(context: SandboxContext, call: Call | undefined, uuid: string): number {
  const coarse = shouldInject(context, 'coarseClock', call);
  if (call && coarse) {
    const coarseClockMs = parameter(context, coarse, 'coarseClockMs');
    context.faultInjection.lasting.begin('coarseClock', uuid, null, { coarseClockMs });
    recordInjected(context, 'coarseClock', { ...subjectOf(call), uuid }, { coarseClockMs });
  }
  const stamp = cut(context, uuid, timeNow(context));
  const jump = shouldInject(context, 'jumpingClock', call);
  if (call && jump) {
    const [backMs, forMs] = [parameter(context, jump, 'jumpBackMs'), parameter(context, jump, 'jumpForMs')];
    stepBack(context, { ...subjectOf(call), uuid }, { backMs, forMs });
  }
  return stamp;
}

/** The next `updated_at` of a resource. It is later than the last one, unless a clock fault is active. */
export function stampAfter(context: SandboxContext, { uuid, updated_at: last, ...handles }: Stamped): number {
  const time = timeNow(context);
  const jump = jumpIn(context);
  const isCoarse = context.faultInjection.lasting.find('coarseClock', uuid, context.now()) !== undefined;
  if (!jump && !isCoarse) return nextStamp(time, last);
  const stamp = jump ? cut(context, uuid, time) : Math.max(cut(context, uuid, time), last);
  if (stamp < last) {
    const originId = handles.origin_id ?? handles.external_id ?? null;
    const details = { updated_at: isoTime(stamp), after: isoTime(last) };
    recordInjected(context, 'jumpingClock', { uuid, originId }, details);
  }
  return stamp;
}

/** Sets the clock back for a while. */
export function stepBack(
  context: SandboxContext,
  about: About,
  { backMs, forMs }: { backMs: number; forMs: number },
): object {
  const until = context.now() + forMs;
  context.faultInjection.lasting.begin('jumpingClock', CLOCK, until, { backMs });
  const details = { back_ms: backMs, until: isoTime(until) };
  recordInjected(context, 'jumpingClock', about, details);
  return details;
}

/** The only subject of clock faults, because there is one clock. */
const CLOCK = 'clock';

const jumpIn = (context: SandboxContext) =>
  context.faultInjection.lasting.find('jumpingClock', CLOCK, context.now());

const timeNow = (context: SandboxContext): number =>
  shownTime(context, context.now()) - Number(jumpIn(context)?.['backMs'] ?? 0);

/** Truncates the time to the unit of the resource's clock. */
function cut({ faultInjection }: SandboxContext, uuid: string, time: number): number {
  const unit = faultInjection.lasting.find('coarseClock', uuid, time)?.['coarseClockMs'];
  const unitMs = Math.max(1, Number(unit ?? 1));
  return Math.floor(time / unitMs) * unitMs;
}
