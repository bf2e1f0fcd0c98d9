// False reports about a resource. They do not affect the ledger.
import { CURRENCIES, type Currency, PLACES, writeAmount } from '../money.ts';
import { type Call, handleOf, type Reply } from '../provider/operation.ts';
import { refuse } from '../provider/refusal.ts';
import type { World } from '../world.ts';
import { anotherAmount } from './amounts.ts';
import { type Occurrence, recordInjected, shouldInject, subjectOf } from './occurrence.ts';

const UNKNOWN_STATUS = 'ON_HOLD';

/** The resource as answers and callbacks report it. */
export function reported<Resource extends { uuid: string }>(world: World, truth: Resource): Resource {
  const fields = world.faultInjection.active.find('misreported', truth.uuid, world.now());
  return fields ? { ...truth, ...fields } : truth;
}

/** Decides whether a new payout will be reported with a different amount or currency. */
export function misreportPayout(world: World, call: Call, truth: Truth & { amount: number }): void {
  const { amount, currency } = truth;
  misreport(world, call, truth, (occurrence) => {
    const other = CURRENCIES.find((one) => one !== currency && PLACES[one] === PLACES[currency]) ?? currency;
    return occurrence.how < 0.5
      ? { currency: other }
      : { amount: writeAmount(anotherAmount(amount, occurrence), currency) };
  });
}

/** Decides whether a new conversion will be reported with a different delivered amount. */
export function misreportTransfer(world: World, call: Call, truth: Truth & { delivered: number }): void {
  misreport(world, call, truth, (occurrence) => ({
    destination_amount: writeAmount(anotherAmount(truth.delivered, occurrence), truth.currency),
  }));
}

/** Decides whether lists will show a new conversion or payout with a status that the contract does not have. */
export function maybeMakeUnreadable(world: World, call: Call, uuid: string): void {
  if (shouldInject(world, 'unreadable', call) === null) return;
  world.faultInjection.active.begin('unreadable', uuid, null, { status: UNKNOWN_STATUS });
  recordInjected(world, 'unreadable', { ...subjectOf(call), uuid }, { status: UNKNOWN_STATUS });
}

/**
 * Shows the unreadable objects of a list as the fault shows them. This breaks the contract, so call it after the reply was checked.
 */
export function asListed(world: World, call: Call, reply: Reply): Reply {
  const isList = call.operation === 'findInternalTransfers' || call.operation === 'findPayouts';
  if (!isList || handleOf(call) !== null || reply.status !== 200) return reply;
  const page = reply.body as { results: { uuid: string }[] };
  const shown = (one: { uuid: string }) => ({
    ...one,
    ...world.faultInjection.active.find('unreadable', one.uuid, world.now()),
  });
  return { ...reply, body: { ...page, results: page.results.map(shown) } };
}

/** From now on, reports these fields with these values, true or not. An empty object ends it. */
export function report(world: World, uuid: string, fields: unknown): object {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
    throw refuse('invalid_request', 'fields must be a JSON object');
  const { active } = world.faultInjection;
  if (Object.keys(fields).length === 0) active.end('misreported', uuid);
  else begin(world, { uuid, originId: null }, { ...fields });
  return { uuid, fields };
}

interface Truth {
  uuid: string;
  currency: Currency;
}

function misreport(
  world: World,
  call: Call,
  { uuid }: Truth,
  choose: (occurrence: Occurrence) => object,
): void {
  const occurrence = shouldInject(world, 'misreported', call);
  if (!occurrence) return;
  const { details } = occurrence;
  const fields = Object.keys(details).length > 0 ? details : choose(occurrence);
  begin(world, { ...subjectOf(call), uuid }, { ...fields });
}

function begin(
  world: World,
  about: { uuid: string; originId: string | null },
  fields: Record<string, unknown>,
): void {
  world.faultInjection.active.begin('misreported', about.uuid, null, fields);
  recordInjected(world, 'misreported', about, { reported: fields });
}
