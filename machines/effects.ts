// The effects that machines may emit. They are plain data: the worker runs them after the transition is committed.

/**
 * The conversions that a PIX payment can need. `reverse` converts delivered USDC back to the home currency, `return` the BRL of a
 * failed payout.
 */
export type ConversionLeg = 'direct' | 'leg1' | 'leg2' | 'reverse' | 'return';

/** An effect, with the parameters that its subject's row does not have. It reads everything else from that row when it runs. */
export type Effect =
  | { type: 'startConversion'; params: { leg: ConversionLeg } }
  | { type: 'startPayout' }
  | { type: 'startWithdrawPayout' }
  | { type: 'provisionAccounts' }
  | { type: 'openAccount' };

export type EffectType = Effect['type'];
