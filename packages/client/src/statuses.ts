// Decides which statuses are final. A status that this version does not know may still change.

/** After these statuses nothing more happens by itself. `payout_failed` waits for the user, who can retry the payment. */
const ended: ReadonlySet<string> = new Set([
  'completed',
  'failed',
  'refunded',
  'payout_failed',
  'manual_review',
  'conversion_failed',
]);

/** True if a payment, a transaction or an identity check does not change by itself any more. */
export const hasEnded = ({ status }: { status: string }): boolean => ended.has(status);

/** The statuses after which something more happens. */
const underWay: ReadonlySet<string> = new Set([
  'quoted',
  'converting',
  'paying',
  'refunding',
  'pending',
  'settling',
]);

/** True if this version does not know the status, so that it cannot tell whether it is final. */
export const isUnknown = ({ status }: { status: string }): boolean =>
  !ended.has(status) && !underWay.has(status);

export const isUnderWay = (one: { status: string }): boolean => !hasEnded(one);
