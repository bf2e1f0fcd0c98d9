// GET /me: returns the user's profile, verification status, balance and deposit instructions.

import type { DepositInstructions } from '../../openapi/generated/openapi.ts';
import { ok, withUser } from '../api/operation.ts';
import { readBalance } from '../ledger/read.ts';
import type { Db } from '../platform/database/orm.ts';
import { encryptionContexts } from '../platform/security/encryption-contexts.ts';
import type { Sealer } from '../platform/security/sealer.ts';
import { findUserWithWallet, type Wallet } from '../platform/sql/users.ts';
import type { Provider } from '../provider/port.ts';
import { userFrom } from './present-user.ts';

export const getMe = withUser(
  'getMe',
  async (db, userId) => {
    const found = await findUserWithWallet(db, { userId });
    return found && { user: found, rows: found };
  },
  async ({ user, rows: wallet }, { db, provider, sealer }: { db: Db; provider: Provider; sealer: Sealer }) =>
    ok({
      user: await userFrom(sealer, user),
      kyc: {
        status: wallet.kycState ?? 'pending',
        level: wallet.kycLevel,
        completedAt: wallet.kycCompletedAt && wallet.kycCompletedAt.toISOString(),
      },
      balance: user.homeCurrency && {
        currency: user.homeCurrency,
        amount: await readBalance({ db, provider }, user.id, wallet),
      },
      deposit: await depositInstructions(sealer, user.id, wallet),
    }),
);

async function depositInstructions(
  sealer: Sealer,
  userId: string,
  { accountId, accountState, depositInstructionsSealed, depositInstructionsSealedAt }: Wallet,
): Promise<DepositInstructions | null> {
  if (accountId === null || accountState !== 'active' || depositInstructionsSealed === null) return null;
  const context = encryptionContexts.depositInstructions(userId, accountId, depositInstructionsSealedAt);
  return JSON.parse(await sealer.open(context, depositInstructionsSealed)) as DepositInstructions;
}
