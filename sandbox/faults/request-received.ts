// The faults of a received request: it is refused, postponed, or handled by a provider that has forgotten something. They are
// decided before the work, so that a refusal does not roll back the decision.

import type { SandboxContext } from '../context.ts';
import { type Call, type Reply, textOf } from '../provider/operation.ts';
import type { ErrorCode } from '../provider/refusal.ts';
import { problem } from '../provider/reply.ts';
import { postpone } from './late.ts';
import { parameter, recordInjected, shouldInject, subjectOf } from './occurrence.ts';
import { REPLY_FAULTS, type ReplyFault } from './registry.ts';
import { type Decision, decidePast, mayBeOvertaken } from './reply-sent.ts';
import { maybeForgetHandle } from './twins.ts';
import { maybeVanish } from './vanished.ts';

const NOWHERE = 'http://localhost:9/elsewhere';

export function requestReceived(context: SandboxContext, call: Call): Decision {
  const occurrence = context.faultInjection.occurrenceOf(call.operation);
  const refused = refusedReply(context, call);
  if (refused) return { instead: refused };
  // A call that is received later has no answer, so no other fault can affect it.
  const late = shouldInject(context, 'receivedLate', call);
  if (late) {
    postpone(context, call, late);
    return { instead: null };
  }
  const { fault, instead } = replyFault();
  if (instead) return { instead };
  maybeVanish(context, call);
  maybeForgetHandle(context, call);
  decidePast(context, call);
  const isOvertaken = mayBeOvertaken(call) && occurrence.shouldInject('callbacks.early');
  return { ...(fault && { fault }), isOvertaken, delayMs: railDelayMs(context, call) };

  /** A requested fault takes precedence. Otherwise at most one random fault is injected, the first in the table's order. */
  function replyFault(): { fault?: ReplyFault; instead?: Reply | undefined } {
    const { faultInjection } = context;
    const ordered = faultInjection.requested.take(REPLY_FAULTS, call.operation, () => textOf(call));
    const name = ordered?.fault ?? REPLY_FAULTS.find((one) => occurrence.shouldInject(`replies.${one}`));
    if (!name) return {};
    faultInjection.count(`replies.${name}`);
    const hasTime = ordered
      ? ordered.retryAfterSeconds !== null
      : occurrence.variant(`replies.${name}`) < 0.5;
    const seconds = ordered?.retryAfterSeconds ?? faultInjection.configuration().replies.retryAfterSeconds;
    return { fault: name, instead: insteadOfWork(name, hasTime ? seconds : null) };
  }
}

const failed = (status: number, code: string): Reply => ({
  status,
  body: { code, detail: 'injected fault' },
});

/** The reply that replaces the work. Undefined for a fault that appears after the work. */
function insteadOfWork(fault: ReplyFault, seconds: number | null): Reply | undefined {
  if (fault === 'error500') return failed(500, 'internal');
  if (fault === 'error503') return comeBack(failed(503, 'unavailable'), seconds);
  if (fault === 'error429') return comeBack(failed(429, 'rate_limited'), seconds);
  if (fault === 'redirect')
    return { status: 307, body: { location: NOWHERE }, headers: { location: NOWHERE } };
  return undefined;
}

/** Adds a Retry-After to the reply, if there is one. */
const comeBack = (reply: Reply, seconds: number | null): Reply =>
  seconds === null ? reply : { ...reply, headers: { 'retry-after': String(seconds) } };

/** The reply to a call that is refused without a reason, or whose operation is limited for a while. */
function refusedReply(context: SandboxContext, call: Call): Reply | undefined {
  const seconds = limitedForSeconds(context, call);
  if (seconds !== undefined) return comeBack(problem('rate_limited', 'too many of these calls'), seconds);
  const occurrence = shouldInject(context, 'refused', call);
  if (!occurrence) return undefined;
  const code = String(occurrence.details['code'] ?? 'rejected') as ErrorCode;
  recordInjected(context, 'refused', subjectOf(call), { operation: call.operation, code });
  return problem(code, 'refused for no reason');
}

/** How long the operation is still limited, in seconds. Undefined if it is not limited. */
function limitedForSeconds(context: SandboxContext, call: Call): number | undefined {
  const { operation } = call;
  const { lasting } = context.faultInjection;
  const now = context.now();
  const limit = lasting.find('limitedOperation', operation, now);
  if (limit) return Math.ceil((Number(limit['until']) - now) / 1000);
  const occurrence = shouldInject(context, 'limitedOperation', call);
  if (!occurrence) return undefined;
  const seconds = parameter(context, occurrence, 'limitedForSeconds');
  const until = now + seconds * 1000;
  lasting.begin('limitedOperation', operation, until, { until });
  recordInjected(context, 'limitedOperation', subjectOf(call), { operation, seconds });
  return seconds;
}

/** How long the answer to a creation of a payout is delayed, because its rail hangs. */
function railDelayMs(context: SandboxContext, call: Call): number {
  if (call.operation !== 'createPayout') return 0;
  const { rail } = call.body as { rail: string };
  const hanging = context.faultInjection.lasting.find('hangingRail', rail, context.now());
  const delayMs = hanging ? Number(hanging['delayMs']) : beginHanging(context, call, rail);
  if (delayMs > 0) recordInjected(context, 'hangingRail', subjectOf(call), { rail, delay_ms: delayMs });
  return delayMs;
}

function beginHanging(context: SandboxContext, call: Call, rail: string): number {
  const occurrence = shouldInject(context, 'hangingRail', call);
  if (!occurrence) return 0;
  const delayMs = parameter(context, occurrence, 'railDelayMs');
  const until = context.now() + parameter(context, occurrence, 'railHangsForMs');
  context.faultInjection.lasting.begin('hangingRail', rail, until, { delayMs });
  return delayMs;
}
