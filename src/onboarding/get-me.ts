// GET /me: returns the user's profile, verification status, balance and deposit instructions.

import type { DepositInstructions } from '../../openapi/generated/openapi.ts';
import { ok, withUser } from '../api/operation.ts';
import { readBalance } from '../ledger/read.ts';
import type { AgeOf } from '../platform/database/database-time.ts';
import type { Provider } from '../provider/port.ts';
import { encryptionContexts } from '../security/encryption-contexts.ts';
import type { Open, Sealer } from '../security/sealer.ts';
import type { Db } from '../tables/orm.ts';
import { findUserWithWallet, type Wallet } from '../tables/users/statements.ts';
import { userFrom } from './present-user.ts';

type Services = { db: Db; provider: Provider<'interactive'>; sealer: Sealer; ageOf: AgeOf };

export const getMe = withUser(
  'getMe',
  async (db, userId) => {
    const found = await findUserWithWallet(db, { userId });
    return found && { user: found, rows: found };
  },
  async ({ user, rows: wallet }, { db, provider, sealer, ageOf }: Services) => {
    const open = await sealer.openerOf(user.id);
    return ok({
      user: userFrom(open, user),
      kyc: {
        status: wallet.kycState ?? 'pending',
        level: wallet.kycLevel,
        completedAt: wallet.kycCompletedAt && wallet.kycCompletedAt.toISOString(),
      },
      balance: user.homeCurrency && {
        currency: user.homeCurrency,
        amount: await readBalance({ db, provider, ageOf }, user.id, wallet),
      },
      deposit: depositInstructions(open, user.id, wallet),
    });
  },
);

function depositInstructions(
  open: Open,
  userId: string,
  { accountId, accountState, depositInstructionsSealed, depositInstructionsSealedAt }: Wallet,
): DepositInstructions | null {
  if (accountId === null || accountState !== 'active' || depositInstructionsSealed === null) return null;
  const context = encryptionContexts.depositInstructions(userId, accountId, depositInstructionsSealedAt);
  return JSON.parse(open(context, depositInstructionsSealed)) as DepositInstructions;
}
