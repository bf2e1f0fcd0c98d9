// Applies the faults at the provider's seams.
import type { ServerResponse } from 'node:http';
import type { SandboxContext } from '../context.ts';
import { type Call, idOf, type Reply } from '../provider/operation.ts';
import { problem, send } from '../provider/reply.ts';
import type { Seams } from '../seams.ts';
import { callbackStored } from './callback-sent.ts';
import { outcomeDecided } from './outcome-decided.ts';
import { asReported, replyMade, sendWithFaults, withUnreadable } from './reply-sent.ts';
import { requestReceived } from './request-received.ts';
import { rowChanged, rowCreated } from './resource-changed.ts';
import { handledAsNew } from './twins.ts';
import { absenceOf } from './vanished.ts';

/** Creates the seams. `context` is a function, because the context contains them. */
export const createSeams = (context: () => SandboxContext): Seams => ({
  callReceived: (response, call, work) => answer(context(), response, call, work),
  callHandled: (call, work) => handle(context(), call, work),
  rowCreated: (table, row, cause) => rowCreated(context(), table, row, cause),
  rowChanged: (table, before, values) => rowChanged(context(), table, before, values),
  outcomeDecided: (table, outcome, currency) => outcomeDecided(context(), table, outcome, currency),
  bodySent: (body) => asReported(context(), body),
  callbackStored: (event) => callbackStored(context(), event),
});

async function answer(
  context: SandboxContext,
  response: ServerResponse,
  call: Call,
  work: () => Reply,
): Promise<void> {
  if (context.faultInjection.isOff()) return send(response, withUnreadable(context, call, work()));
  const decision = context.store.transaction(() => requestReceived(context, call));
  if (decision.instead) return send(response, decision.instead);
  if (decision.instead === null) return void response.socket?.destroy();
  await sendWithFaults(context, response, call, decision, withUnreadable(context, call, work()));
}

/** A vanished resource is unknown to its own operations, as if it never existed. */
function handle(context: SandboxContext, call: Call, work: () => Reply): Reply {
  const isAbsent = call.params['uuid'] !== undefined && absenceOf(context, idOf(call))?.by_uuid;
  if (isAbsent) return problem('not_found', 'no such resource');
  return replyMade(context, call, handledAsNew(context, call, work));
}
