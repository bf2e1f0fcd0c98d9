// Rejects calls: of an operation that is limited for a while, or single calls without a reason.

import { comeBack } from '../fault-injection/replies.ts';
import type { Call, Reply } from '../provider/operation.ts';
import { type ErrorCode, refuse } from '../provider/refusal.ts';
import type { World } from '../world.ts';
import { CATALOGUE } from './catalogue.ts';
import { recordInjected, shouldInject, subjectOf } from './occurrence.ts';

/** The reply to a rejected call. Undefined for any other call. */
export function refusedReply(world: World, call: Call): Reply | undefined {
  const seconds = limitedForSeconds(world, call);
  if (seconds !== undefined) return comeBack(problem('rate_limited', 'too many of these calls'), seconds);
  if (!CATALOGUE.refused.operations.includes(call.operation)) return undefined;
  const occurrence = shouldInject(world, 'refused', call);
  if (!occurrence) return undefined;
  const code = String(occurrence.details['code'] ?? 'rejected') as ErrorCode;
  recordInjected(world, 'refused', subjectOf(call), { operation: call.operation, code });
  return problem(code, 'refused for no reason');
}

/** How long the operation is still limited, in seconds. Undefined if it is not limited. */
function limitedForSeconds(world: World, call: Call): number | undefined {
  const { operation } = call;
  const { active } = world.faultInjection;
  const now = world.now();
  const limit = active.find('limitedOperation', operation, now);
  if (limit) return Math.ceil((Number(limit['until']) - now) / 1000);
  const occurrence = shouldInject(world, 'limitedOperation', call);
  if (!occurrence) return undefined;
  const { limitedForSeconds: usual } = world.faultInjection.configuration().provider;
  const seconds = Number(occurrence.details['limitedForSeconds'] ?? usual);
  const until = now + seconds * 1000;
  active.begin('limitedOperation', operation, until, { until });
  recordInjected(world, 'limitedOperation', subjectOf(call), { operation, seconds });
  return seconds;
}

function problem(code: ErrorCode, detail: string): Reply {
  return { status: refuse(code, detail).status, body: { code, detail } };
}
