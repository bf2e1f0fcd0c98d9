// Applies the faults at the provider's seams.
import type { ServerResponse } from 'node:http';
import { type Call, idOf, type Reply } from '../provider/operation.ts';
import { problem, send } from '../provider/reply.ts';
import type { Seams } from '../seams.ts';
import type { World } from '../world.ts';
import { callbackStored } from './callback-sent.ts';
import { outcomeDecided } from './outcome-decided.ts';
import { asReported, replyMade, sendWithFaults, withUnreadable } from './reply-sent.ts';
import { requestReceived } from './request-received.ts';
import { rowChanged, rowCreated } from './resource-changed.ts';
import { handledAsNew } from './twins.ts';
import { absenceOf } from './vanished.ts';

/** Creates the seams. `world` is a function, because the world contains them. */
export const createSeams = (world: () => World): Seams => ({
  callReceived: (response, call, work) => answer(world(), response, call, work),
  callHandled: (call, work) => handle(world(), call, work),
  rowCreated: (table, row, cause) => rowCreated(world(), table, row, cause),
  rowChanged: (table, before, values) => rowChanged(world(), table, before, values),
  outcomeDecided: (table, outcome, currency) => outcomeDecided(world(), table, outcome, currency),
  bodySent: (body) => asReported(world(), body),
  callbackStored: (event) => callbackStored(world(), event),
});

async function answer(world: World, response: ServerResponse, call: Call, work: () => Reply): Promise<void> {
  if (world.faultInjection.isOff()) return send(response, withUnreadable(world, call, work()));
  const decision = world.store.transaction(() => requestReceived(world, call));
  if (decision.instead) return send(response, decision.instead);
  if (decision.instead === null) return void response.socket?.destroy();
  await sendWithFaults(world, response, call, decision, withUnreadable(world, call, work()));
}

/** A vanished resource is unknown to its own operations, as if it never existed. */
function handle(world: World, call: Call, work: () => Reply): Reply {
  const isAbsent = call.params['uuid'] !== undefined && absenceOf(world, idOf(call))?.by_uuid;
  if (isAbsent) return problem('not_found', 'no such resource');
  return replyMade(world, call, handledAsNew(world, call, work));
}
