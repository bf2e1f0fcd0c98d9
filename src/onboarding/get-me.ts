// GET /me: returns the user's profile, verification status, balance and deposit instructions.
import type { DepositInstructions } from '../../openapi/generated/openapi.ts';
import type { App } from '../start/app.ts';
import { readBalance } from '../ledger/read.ts';
import { userFrom } from './present-user.ts';
import { encryptionContexts } from '../platform/sealing/encryption-contexts.ts';
import { findWallet, type Wallet } from '../platform/sql/users.ts';
import { ok, withUserRow } from '../api/operation.ts';

export const getMe = withUserRow(
  'getMe',
  (db, userId) => findWallet(db, { userId }),
  async ({ user, rows: wallet }, app) => {
    if (!wallet) throw new Error('a user without a wallet');
    return ok({
      user: await userFrom(app.sealer, user),
      kyc: {
        status: wallet.kycState ?? 'pending',
        level: wallet.kycLevel,
        completedAt: wallet.kycCompletedAt && wallet.kycCompletedAt.toISOString(),
      },
      balance: user.homeCurrency && {
        currency: user.homeCurrency,
        amount: await readBalance(app, user.id, wallet),
      },
      deposit: await depositInstructions(app, user.id, wallet),
    });
  },
);

async function depositInstructions(
  app: App,
  userId: string,
  { accountId, accountState, depositInstructionsSealed, depositInstructionsSealedAt }: Wallet,
): Promise<DepositInstructions | null> {
  if (accountId === null || accountState !== 'active' || depositInstructionsSealed === null) return null;
  const context = encryptionContexts.depositInstructions(userId, accountId, depositInstructionsSealedAt);
  return JSON.parse(await app.sealer.open(context, depositInstructionsSealed)) as DepositInstructions;
}
