// Maps every effect type to its handler.
import type { EffectHandlers } from '../effects/effect.ts';
import { openAccount } from '../effects/open-account.ts';
import { provisionAccounts } from '../effects/provision-accounts.ts';
import { startConversion } from '../effects/start-conversion.ts';
import { startPayout } from '../effects/start-payout.ts';
import { startWithdrawPayout } from '../effects/start-withdraw-payout.ts';
import { validateBankDetails } from '../effects/validate-bank-details.ts';

export const effectHandlers: EffectHandlers = {
  startConversion,
  startPayout,
  startWithdrawPayout,
  provisionAccounts,
  openAccount,
  validateBankDetails,
};
