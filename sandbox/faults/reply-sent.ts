// The faults of a reply: it shows another state than the provider has, or the client does not receive it as it is.
import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { SandboxContext } from '../context.ts';
import { type Call, handleOf, type Reply } from '../provider/operation.ts';
import { problem, send, writeHead } from '../provider/reply.ts';
import { isoTime } from '../time.ts';
import { shownTime } from './clock.ts';
import { injectBusiness, parameter, partOf, recordInjected, shouldInject, subjectOf } from './occurrence.ts';
import { answeredAt, LAGS, noteAnswered, stateAt } from './past.ts';
import type { ReplyFault } from './registry.ts';
import { absenceOf } from './vanished.ts';

/** The treatment of a call: a reply instead of the work, or the work with a fault of its reply. */
export interface Decision {
  /** Replaces the work. Null for a call that gets no answer. */
  instead?: Reply | null;
  fault?: ReplyFault;
  /** Whether a callback about the resource must arrive before the reply is sent. */
  isOvertaken?: boolean;
  /** How long the reply is delayed, in milliseconds. */
  delayMs?: number;
}

/** The time in the past that a read shows, and the fault that makes it do so. */
interface Past {
  at: number;
  fault: (typeof LAGS)[number];
}

type CallInPast = Call & { past?: Past };

interface Body {
  uuid: string;
  origin_id?: string;
  external_id?: string;
  /** Only a movement has it. Movements never change. */
  created_at?: string;
}

const PATIENCE_MS = 2000;
const DRIP_MS = 100;

/** Decides the age of the state that a read shows. */
export function decidePast(context: SandboxContext, call: CallInPast): void {
  for (const fault of LAGS) {
    if (fault === 'unseenWrite' && handleOf(call) === null) continue;
    const occurrence = shouldInject(context, fault, call);
    if (!occurrence) continue;
    const lagMs = partOf(context, occurrence, fault === 'unseenWrite' ? 'unseenForMs' : 'lagMs');
    call.past = { at: context.now() - lagMs, fault };
    return;
  }
}

/** The reply as the faults show it. It is part of the call's transaction. */
export function replyMade(context: SandboxContext, call: Call, reply: Reply): Reply {
  if (reply.status >= 400) return reply;
  if (reply.status === 201) afterCreation(context, call, reply.body as Body & { expires_at?: string });
  const { results, next } = reply.body as { results?: Body[]; next?: string | null };
  if (results === undefined) {
    const body = stateShown(context, call, reply.body as Body);
    return body ? { ...reply, body: asReported(context, body) } : problem('not_found', 'no such resource');
  }
  const states = results.map((body) => stateShown(context, call, body));
  const bodies = states.filter(
    (body) => body !== null && !absenceOf(context, body.uuid)?.by_handle,
  ) as Body[];
  const shown = { results: bodies.map((body) => asReported(context, body)) };
  // The newest objects are missing, so a page that misses some is the last one.
  const cursor = next === undefined ? {} : { next: states.includes(null) ? null : next };
  return { ...reply, body: { ...shown, ...cursor } };
}

/** Changes what was just created, and what the reply says about it. */
function afterCreation(context: SandboxContext, call: Call, body: Body & { expires_at?: string }): void {
  const now = context.now();
  if (call.operation === 'createAccount' && injectBusiness(context, 'slowAccount')) {
    const { slowAccountMs } = context.faultInjection.configuration().business;
    context.store.run('update settlements set due_at = ? where uuid = ?', now + slowAccountMs, body.uuid);
  }
  if (call.operation !== 'createQuote') return;
  if (injectBusiness(context, 'expiredQuote')) context.store.update('quotes', body.uuid, { expires_at: now });
  const long = shouldInject(context, 'longQuote', call);
  if (!long) return;
  const promised = isoTime(now + parameter(context, long, 'longQuoteMs'));
  const details = { expires_at: body.expires_at, promised };
  recordInjected(context, 'longQuote', { ...subjectOf(call), uuid: body.uuid }, details);
  body.expires_at = promised;
}

/** The resource in the state that this read shows. Null if it did not exist then. What the read misses is recorded. */
function stateShown(context: SandboxContext, call: CallInPast, body: Body): Body | null {
  const { past } = call;
  if (!past) return body;
  const state = body.created_at === undefined ? formerState(context, call, past, body.uuid) : undefined;
  const isNewer = body.created_at !== undefined && Date.parse(body.created_at) > shownTime(context, past.at);
  if (state === undefined && !isNewer) return body;
  const lag_ms = context.now() - past.at;
  const about = { uuid: body.uuid, originId: originOf(context, body) };
  recordInjected(context, past.fault, about, { operation: call.operation, lag_ms });
  return isNewer ? null : (state as Body | null);
}

/** By the contract, a look-up by handle shows every write that was answered before it, unless `laggingLookup` breaks this. */
function formerState(context: SandboxContext, call: Call, { at, fault }: Past, uuid: string) {
  const showsAnswered = handleOf(call) !== null && fault !== 'laggingLookup';
  return stateAt(context, uuid, Math.max(at, showsAnswered ? answeredAt(context, uuid) : 0));
}

function originOf({ store }: SandboxContext, { uuid, origin_id, external_id }: Body): string | null {
  const sql = 'select source_reference from movements where uuid = ?';
  return (
    origin_id ?? external_id ?? store.get<{ source_reference: string }>(sql, uuid)?.source_reference ?? null
  );
}

/** The body as answers and callbacks report it, with false values and by the provider's clock. */
export function asReported<Sent extends object>(context: SandboxContext, body: Sent): Sent {
  const { uuid, ...times } = body as { uuid?: string; [time: string]: unknown };
  const fields = uuid && context.faultInjection.lasting.find('misreported', uuid, context.now());
  const shifted = ['expires_at', 'verification_url_expires_at']
    .filter((name) => typeof times[name] === 'string')
    .map((name) => [name, isoTime(shownTime(context, Date.parse(String(times[name]))))]);
  return { ...body, ...Object.fromEntries(shifted), ...fields };
}

/** Shows the unreadable objects of a list. This breaks the contract, so it happens after the reply was checked. */
export function withUnreadable({ faultInjection, now }: SandboxContext, call: Call, reply: Reply): Reply {
  const isList = call.operation === 'findInternalTransfers' || call.operation === 'findPayouts';
  if (!isList || handleOf(call) !== null || reply.status !== 200) return reply;
  const page = reply.body as { results: Body[] };
  const shown = (body: Body) => ({ ...body, ...faultInjection.lasting.find('unreadable', body.uuid, now()) });
  return { ...reply, body: { ...page, results: page.results.map(shown) } };
}

/** Sends the reply late, after a callback, damaged, or not at all. */
export async function sendWithFaults(
  context: SandboxContext,
  response: ServerResponse,
  call: Call,
  { fault, isOvertaken = false, delayMs = 0 }: Decision,
  reply: Reply,
): Promise<void> {
  const { afterMs = 0 } = reply;
  if (delayMs + afterMs > 0) await pause(delayMs + afterMs, undefined, { ref: false });
  // The caller, or the sandbox, may have gone meanwhile.
  if (response.destroyed) return;
  const { uuid } = reply.body as { uuid?: string };
  if (isOvertaken && uuid !== undefined) await letCallbackOvertake(context, uuid);
  if (fault) {
    writeHead(response, reply.status);
    SPOILERS[fault]?.(response, JSON.stringify(reply.body));
    return;
  }
  if (uuid !== undefined && !/^(get|find|list)/.test(call.operation)) noteAnswered(context, uuid);
  send(response, reply);
}

/** The faults that damage a reply. A client that hangs receives nothing. */
const SPOILERS: Partial<Record<ReplyFault, (response: ServerResponse, text: string) => void>> = {
  dropped: ({ socket }) => void socket?.destroy(),
  reset: ({ socket }) => void socket?.resetAndDestroy(),
  hang: () => undefined,
  drip(response, text) {
    const bytes = Buffer.from(text);
    let sent = 0;
    const tap = setInterval(() => {
      response.write(bytes.subarray(sent, ++sent));
      if (sent === bytes.length) response.end();
    }, DRIP_MS);
    response.once('close', () => clearInterval(tap));
    response.flushHeaders();
  },
  broken: (response, text) => void response.end(text.slice(0, text.length / 2)),
};

/** Whether the operation causes later callbacks about its resource, so that `early` can affect it. */
export const mayBeOvertaken = ({ operation }: Call): boolean =>
  ['createAccount', 'createInternalTransfer', 'createPayout', 'reissuePayout'].includes(operation);

/** Waits for a callback that is in flight or will be soon. The fault is counted only if the callback arrived in time. */
async function letCallbackOvertake(
  { store, faultInjection, now }: SandboxContext,
  uuid: string,
): Promise<void> {
  const soon = store.get(
    'select 1 from settlements where uuid = ?1 and due_at <= ?2 union all select 1 from callbacks where uuid = ?1',
    uuid,
    now() + PATIENCE_MS,
  );
  if (soon && (await faultInjection.overtaking.arrival(uuid, PATIENCE_MS)))
    faultInjection.count('callbacks.early');
}
