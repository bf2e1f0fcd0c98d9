// Every step that a lifecycle may take, and the effects that it emits: written out by hand, so that a
// mistake in a machine is found. The names are those of the history (`transitions`) and of the outbox (`effects`).
import { type SubjectKind, statusOf, transactionStatuses } from './states.ts';

/** From, event, to, and the emitted effects, with their parameters after a colon. */
export type Step = [from: string | null, event: string, to: string, orders: string[]];

const payment: Step[] = [
  [null, 'begun', 'quoted', []],
  ['quoted', 'confirmed', 'converting.direct', ['startConversion:direct']],
  ['quoted', 'confirmed', 'converting.leg1', ['startConversion:leg1']],
  // Recovery found the payment at the provider after a restored backup had lost it.
  ['quoted', 'adopted', 'manual_review', []],
  ['converting.direct', 'direct.completed', 'paying', ['startPayout']],
  ['converting.direct', 'direct.completed', 'manual_review', []],
  ['converting.direct', 'direct.failed', 'failed', []],
  ['converting.leg1', 'leg1.completed', 'converting.leg2', ['startConversion:leg2']],
  ['converting.leg1', 'leg1.completed', 'manual_review', []],
  ['converting.leg1', 'leg1.failed', 'failed', []],
  ['converting.leg2', 'leg2.completed', 'paying', ['startPayout']],
  ['converting.leg2', 'leg2.completed', 'manual_review', []],
  ['converting.leg2', 'leg2.failed', 'refunding', ['startConversion:reverse']],
  ['refunding', 'leg2.completed', 'manual_review', []],
  ['refunding', 'reverse.completed', 'refunded', []],
  ['refunding', 'reverse.completed', 'manual_review', []],
  ['refunding', 'reverse.failed', 'manual_review', []],
  ['paying', 'off-ramp.completed', 'completed', []],
  ['paying', 'off-ramp.failed', 'payout_failed', []],
  ['paying', 'off-ramp.refunded', 'manual_review', []],
  ['payout_failed', 'off-ramp.completed', 'completed', []],
  ['payout_failed', 'off-ramp.refunded', 'manual_review', []],
  ['payout_failed', 'retry', 'paying', ['startPayout']],
  ['completed', 'off-ramp.refunded', 'manual_review', []],
  // An operator returns the BRL of a failed payout.
  ['payout_failed', 'return.requested', 'refunding', ['startConversion:return']],
  ['refunding', 'return.completed', 'refunded', []],
  ['refunding', 'return.completed', 'manual_review', []],
  ['refunding', 'return.failed', 'manual_review', []],
  ['refunding', 'off-ramp.completed', 'manual_review', []],
  ['refunding', 'off-ramp.refunded', 'manual_review', []],
  // Operators record a settlement made outside.
  ['manual_review', 'settled', 'manual_review', []],
  // An operator decides the outcome.
  ['paying', 'reviewed.completed', 'completed', []],
  ['payout_failed', 'reviewed.completed', 'completed', []],
  ['converting.direct', 'reviewed.manual_review', 'manual_review', []],
  ['converting.leg1', 'reviewed.manual_review', 'manual_review', []],
  ['converting.leg2', 'reviewed.manual_review', 'manual_review', []],
  ['refunding', 'reviewed.manual_review', 'manual_review', []],
  ['paying', 'reviewed.manual_review', 'manual_review', []],
  ['payout_failed', 'reviewed.manual_review', 'manual_review', []],
];

const withdraw: Step[] = [
  [null, 'begun', 'settling', ['startWithdrawPayout']],
  ['settling', 'off-ramp.completed', 'completed', []],
  ['settling', 'off-ramp.failed', 'failed', []],
  ['settling', 'off-ramp.refunded', 'failed', []],
  ['completed', 'off-ramp.refunded', 'failed', []],
  ['settling', 'reviewed.completed', 'completed', []],
  ['settling', 'reviewed.failed', 'failed', []],
];

const kyc: Step[] = [
  [null, 'begun', 'pending', []],
  ['pending', 'kyc.completed', 'completed', ['provisionAccounts']],
  ['pending', 'kyc.failed', 'failed', []],
  ['failed', 'kyc.completed', 'completed', ['provisionAccounts']],
  // Another attempt begins.
  ['failed', 'kyc.restarted', 'pending', []],
  ['pending', 'kyc.restarted', 'pending', []],
  // Another attempt has begun and failed before its beginning was reported.
  ['failed', 'kyc.failed', 'failed', []],
  // The reason of a failure became known later.
  ['failed', 'kyc.failed', 'failed', []],
];

const account: Step[] = [
  [null, 'begun', 'provisioning', ['openAccount']],
  ['provisioning', 'account.activated', 'active', []],
];

const contestation: Step[] = [
  [null, 'begun', 'requested', []],
  ['requested', 'contestation.opened', 'open', []],
  ['requested', 'contestation.accepted', 'accepted', []],
  ['requested', 'contestation.rejected', 'rejected', []],
  ['requested', 'contestation.refused', 'refused', []],
  ['open', 'contestation.accepted', 'accepted', []],
  ['open', 'contestation.rejected', 'rejected', []],
];

const refund: Step[] = [
  [null, 'begun', 'waiting', []],
  // An operator converts the part that came back.
  ['waiting', 'conversion.requested', 'converting', ['startConversion:partial']],
  ['converting', 'partial.completed', 'converted', []],
  ['converting', 'partial.failed', 'waiting', []],
  ['waiting', 'partial.completed', 'converted', []],
  ['waiting', 'payout.refunded', 'returned_whole', []],
];

export const steps: Record<SubjectKind, Step[]> = {
  pix_payment: payment,
  withdraw,
  kyc,
  provider_account: account,
  contestation,
  payout_refund: refund,
};

type Shown = 'payment' | 'withdraw' | 'transaction';

/** The transitions between statuses that an app may be shown, by kind. */
const next: Record<Shown, [from: string, to: string][]> = {
  payment: arrows(payment, statusOf),
  withdraw: arrows(withdraw, statusOf),
  transaction: [
    ...arrows(payment, (state) => transactionStatuses[statusOf(state)] ?? ''),
    ...arrows(withdraw, statusOf),
  ],
};

function arrows(table: Step[], shown: (state: string) => string): [string, string][] {
  return table.flatMap(([from, , to]): [string, string][] =>
    from === null ? [] : [[shown(from), shown(to)]],
  );
}

const reached = new Map<string, Set<string>>();

/** Returns whether an app may be shown `later` after `earlier`: the same status, or one that some steps lead to. */
export function mayFollow(shown: Shown, earlier: string, later: string): boolean {
  const key = `${shown} ${earlier}`;
  let found = reached.get(key);
  if (!found) {
    found = new Set([earlier]);
    // Iteration over a growing set includes the added items.
    for (const status of found) for (const [from, to] of next[shown]) if (from === status) found.add(to);
    reached.set(key, found);
  }
  return found.has(later);
}
