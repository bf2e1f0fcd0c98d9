// A call with injected faults. They are decided before its work, and take effect when its reply is sent.

import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { isPostponed } from '../faults/late.ts';
import { refusedReply } from '../faults/limits.ts';
import { noteAnswered } from '../faults/past.ts';
import { railDelayMs } from '../faults/rails.ts';
import { pastOf, recordMissed } from '../faults/reads.ts';
import { maybeForgetHandle } from '../faults/twins.ts';
import { maybeVanish } from '../faults/vanished.ts';
import type { Call, Reply } from '../provider/operation.ts';
import type { World } from '../world.ts';
import type { FaultInjection, Occurrence } from './fault-injection.ts';
import { REPLY_FAULTS, type ReplyFault } from './kinds.ts';
import { insteadOfWork, type SpoiltAnswer, spoil } from './replies.ts';

/** A reply with the faults that are injected into it. */
export interface FaultyReply extends Reply {
  injected: {
    fault: SpoiltAnswer | null;
    /** Whether a callback about the resource must arrive before the reply is sent. */
    isOvertaken: boolean;
    isWrite: boolean;
    /** How long the reply is held back, in milliseconds. */
    delayMs: number;
  };
}

interface InjectedReplyFault {
  fault: ReplyFault;
  retryAfterSeconds: number | null;
}

const PATIENCE_MS = 2000;

/** The reply to a call that is received later: its connection breaks now. */
const UNANSWERED: FaultyReply = {
  status: 500,
  body: null,
  injected: { fault: 'dropped', isOvertaken: false, isWrite: true, delayMs: 0 },
};

/** Operations that cause later callbacks about their resource. */
const HAS_CALLBACKS = new Set(['createAccount', 'createInternalTransfer', 'createPayout', 'reissuePayout']);

const READS = /^(get|find|list)/;

/** Does the work, unless an injected fault prevents it. `text` is matched against requested faults. */
export function workWithFaults(
  world: World,
  call: Call,
  text: () => string,
  work: () => Reply,
): Reply | FaultyReply {
  const { store, faultInjection } = world;
  const { operation } = call;
  const injected = store.transaction(() => {
    const occurrence = faultInjection.occurrenceOf(operation);
    const refused = refusedReply(world, call);
    if (refused) return { reply: refused };
    // A call that is received later has no answer, so no other fault can affect it.
    if (isPostponed(world, call)) return { reply: UNANSWERED };
    const injectedFault = replyFaultOf(faultInjection, occurrence, operation, text);
    const instead = injectedFault && insteadOfWork(injectedFault.fault, injectedFault.retryAfterSeconds);
    if (instead) return { reply: instead };
    prepareWork(world, call);
    return {
      fault: (injectedFault?.fault ?? null) as SpoiltAnswer | null,
      isOvertaken: HAS_CALLBACKS.has(operation) && occurrence.shouldInject('callbacks.early'),
      isWrite: !READS.test(operation),
      delayMs: railDelayMs(world, call),
    };
  });
  if ('reply' in injected) return injected.reply;
  const reply = work();
  const { past } = call;
  if (past && past.missed.length > 0) store.transaction(() => recordMissed(world, call, past));
  return { ...reply, injected };
}

/** Decides the faults of the work itself before the work, so that a refusal does not roll back the decision. */
function prepareWork(world: World, call: Call): void {
  maybeVanish(world, call);
  maybeForgetHandle(world, call);
  const past = pastOf(world, call);
  if (past) call.past = past;
}

/** Sends a reply with the faults that were injected into it. */
export async function sendWithFaults(
  world: World,
  response: ServerResponse,
  { injected: { fault, isOvertaken, isWrite, delayMs }, ...reply }: FaultyReply,
  send: (response: ServerResponse, reply: Reply) => void,
): Promise<void> {
  if (delayMs > 0) await pause(delayMs, undefined, { ref: false });
  // The caller, or the sandbox, may have gone meanwhile.
  if (response.destroyed) return;
  if (isOvertaken) await letCallbackOvertake(world, reply);
  if (fault) {
    spoil(fault, response, reply);
    return;
  }
  const { uuid } = reply.body as { uuid?: string };
  if (isWrite && uuid !== undefined) noteAnswered(world, uuid);
  send(response, reply);
}

/**
 * Chooses the fault of a reply. A requested fault takes precedence. Otherwise at most one random fault is injected, the first in
 * the table's order.
 */
function replyFaultOf(
  faultInjection: FaultInjection,
  occurrence: Occurrence,
  operation: string,
  text: () => string,
): InjectedReplyFault | undefined {
  const ordered = faultInjection.ordered.take(REPLY_FAULTS, operation, text);
  const fault = ordered?.fault ?? REPLY_FAULTS.find((name) => occurrence.shouldInject(`replies.${name}`));
  if (!fault) return undefined;
  faultInjection.count(`replies.${fault}`);
  if (ordered) return ordered;
  const { retryAfterSeconds } = faultInjection.configuration().replies;
  return {
    fault,
    retryAfterSeconds: occurrence.variant(`replies.${fault}`) < 0.5 ? retryAfterSeconds : null,
  };
}

/** Waits for a callback that is in flight or will be soon. The fault is counted only if the callback arrived in time. */
async function letCallbackOvertake(world: World, { body }: Reply): Promise<void> {
  const { store, faultInjection } = world;
  const { uuid } = body as { uuid?: string };
  if (uuid === undefined) return;
  const soon = store.get(
    'select 1 from settlements where uuid = ? and due_at <= ? union all select 1 from callbacks where uuid = ?',
    uuid,
    world.now() + PATIENCE_MS,
    uuid,
  );
  if (soon && (await faultInjection.arrivals.next(uuid, PATIENCE_MS)))
    faultInjection.count('callbacks.early');
}
