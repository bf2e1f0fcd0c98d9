// The effects that machines may order: plain data, carried out later by the worker, never here.

/** The conversions a PIX payment can need. `reverse` turns delivered USDC back into the home currency. */
export type ConversionLeg = 'direct' | 'leg1' | 'leg2' | 'reverse';

/** Everything else an effect needs is read from its row when it runs. */
export type Effect =
  | { type: 'startConversion'; params: { leg: ConversionLeg } }
  | { type: 'startPayout' }
  | { type: 'startWithdrawPayout' }
  | { type: 'provisionAccounts' }
  | { type: 'openAccount' };

export type EffectType = Effect['type'];
