// The effects that machines may emit. They are plain data: the worker runs them after the transition is committed.

/**
 * The conversions that a PIX payment can need. `reverse` converts delivered USDC back to the home currency, `return` the BRL of a
 * failed payout, `partial` the BRL of a partial return.
 */
export type ConversionLeg = 'direct' | 'leg1' | 'leg2' | 'reverse' | 'return' | 'partial';

/** Every type of effect that a machine emits. The outbox's column, its handlers and the runbook take their lists from here. */
export const effectTypes = [
  'startConversion',
  'startPayout',
  'startWithdrawPayout',
  'provisionAccounts',
  'openAccount',
] as const;

export type EffectType = (typeof effectTypes)[number];

/** The parameters of an effect: those that its subject's row does not have. An effect that is not listed has none. */
type Params = { startConversion: { leg: ConversionLeg } };

type EffectOf<Type extends EffectType> = Type extends keyof Params
  ? { type: Type; params: Params[Type] }
  : { type: Type };

/** An effect, with its parameters. It reads everything else from the row of its subject when it runs. */
export type Effect = { [Type in EffectType]: EffectOf<Type> }[EffectType];
