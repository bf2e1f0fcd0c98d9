// GET /me: the user's profile, verification status, balance and deposit instructions.
import type { DepositInstructions } from '../../openapi/generated/openapi.ts';
import type { App } from '../app.ts';
import { readBalance } from '../balance/read.ts';
import { bytesOf, isoTime } from '../queries/rows.ts';
import { userFrom } from '../queries/user.ts';
import { type Wallet, walletOf } from '../queries/wallet.ts';
import { encryptionContexts } from '../sealing/encryption-contexts.ts';
import { beside, ok } from './operation.ts';

export const getMe = beside('getMe', walletOf, async ({ user, rows: { kyc, home, ...balance } }, app) =>
  ok({
    user: await userFrom(app.sealer, user),
    kyc: {
      status: kyc?.state ?? 'pending',
      level: kyc?.level ?? null,
      completedAt: kyc?.completedAt ? isoTime(kyc.completedAt) : null,
    },
    balance: user.home_currency && {
      currency: user.home_currency,
      amount: await readBalance(app, user, home, balance),
    },
    deposit: await depositInstructions(app, user.id, home),
  }),
);

async function depositInstructions(
  app: App,
  userId: string,
  home: Wallet['home'],
): Promise<DepositInstructions | null> {
  if (home?.state !== 'active' || home.depositInstructionsSealed === null) return null;
  const { depositInstructionsSealedAt: at } = home;
  const context = encryptionContexts.depositInstructions(userId, home.id, at === null ? null : new Date(at));
  const text = await app.sealer.open(context, bytesOf(home.depositInstructionsSealed));
  return JSON.parse(text) as DepositInstructions;
}
