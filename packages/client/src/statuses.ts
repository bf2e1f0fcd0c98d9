// Which statuses are worth waiting through. One that this version does not know may still change.

/** Nothing more happens by itself after these. `payout_failed` waits for the user, who can retry the payment. */
const ended: ReadonlySet<string> = new Set([
  'completed',
  'failed',
  'refunded',
  'payout_failed',
  'manual_review',
  'conversion_failed',
]);

/** Of a payment, a transaction or an identity check. */
export const hasEnded = ({ status }: { status: string }): boolean => ended.has(status);

export const isUnderWay = (one: { status: string }): boolean => !hasEnded(one);
