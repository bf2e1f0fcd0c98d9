// GET /me: who the user is, how far verification has come, what the balance is and where to deposit.
import type { DepositInstructions } from '../../openapi/generated/openapi.ts';
import { type Handler, ok } from '../api/operation.ts';
import type { App } from '../app.ts';
import { readBalance } from '../balance/read.ts';
import { userFrom } from '../queries/user.ts';
import { accountsOf, kycOf, type WalletAccount } from '../queries/wallet.ts';
import { places } from '../sealing/places.ts';

export const getMe: Handler<'getMe'> = async ({ user }, app) => {
  const [kyc, accounts] = await Promise.all([kycOf(app.db, user.id), accountsOf(app.db, user.id)]);
  const home = accounts.find(({ currency }) => currency === user.home_currency);
  return ok({
    user: await userFrom(app.sealer, user),
    kyc: {
      status: kyc?.state ?? 'pending',
      level: kyc?.level ?? null,
      completedAt: kyc?.completedAt?.toISOString() ?? null,
    },
    balance: user.home_currency && {
      currency: user.home_currency,
      amount: await readBalance(app, user, home),
    },
    deposit: await depositInstructions(app, user.id, home),
  });
};

async function depositInstructions(
  app: App,
  userId: string,
  home: WalletAccount | undefined,
): Promise<DepositInstructions | null> {
  if (home?.state !== 'active' || home.depositInstructionsSealed === null) return null;
  const place = places.depositInstructions(userId, home.id);
  return JSON.parse(await app.sealer.open(place, home.depositInstructionsSealed)) as DepositInstructions;
}
