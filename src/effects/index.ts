// Maps every effect type to its handler.
import type { EffectType } from '../../machines/effects.ts';
import type { PlainEffect } from '../outbox/enqueue.ts';
import type { EffectHandler } from './effect.ts';
import { openAccount } from './open-account.ts';
import { provisionAccounts } from './provision-accounts.ts';
import { startConversion } from './start-conversion.ts';
import { startPayout } from './start-payout.ts';
import { startWithdrawPayout } from './start-withdraw-payout.ts';
import { validateBankDetails } from './validate-bank-details.ts';

export const effectHandlers: Record<EffectType | PlainEffect['type'], EffectHandler> = {
  startConversion,
  startPayout,
  startWithdrawPayout,
  provisionAccounts,
  openAccount,
  validateBankDetails,
};
