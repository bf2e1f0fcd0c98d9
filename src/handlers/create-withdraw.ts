// POST /withdraws: sends money from the home balance to the user's own bank.

import { reserve } from '../balance/reserve.ts';
import { acceptWithdraw } from '../commands/accept-withdraw.ts';
import { type Hashed, hashed, recall, remember } from '../commands/idempotency.ts';
import type { Db } from '../database/orm.ts';
import { newId } from '../domain/ids.ts';
import { Refusal } from '../domain/refusals.ts';
import { activeAccount } from '../queries/active-accounts.ts';
import { listBankDetails, openBankDetails } from '../queries/bank-details.ts';
import { accountsOf } from '../queries/wallet.ts';
import {
  findRepeatedWithdraw,
  findWithdraw,
  type WantedWithdraw,
  type WithdrawView,
  withdrawFrom,
} from '../queries/withdraws.ts';
import { encryptionContexts } from '../sealing/encryption-contexts.ts';
import { created, type Handler, ok, type Reply } from './operation.ts';

export const createWithdraw: Handler<'createWithdraw'> = async (request, app) => {
  const reply = await accept(request, app);
  const ids = { requestId: request.requestId, subjectId: reply.body.id };
  if (reply.status === 201)
    app.log.info({ code: 'withdraw.accepted', ...ids }, 'the withdrawal was accepted');
  else app.log.info({ code: 'withdraw.repeated', ...ids }, 'the withdrawal was a repetition');
  return reply;
};

const accept: Handler<'createWithdraw'> = async (request, app) => {
  const { user, body, requestId } = request;
  if (user.home_currency === null) throw new Refusal('home_currency_required');
  const bankDetails = (await listBankDetails(app.db, user.id)).find(
    ({ currency }) => currency === user.home_currency,
  );
  if (!bankDetails) throw new Refusal('bank_details_required');
  const homeAccountRef = activeAccount(await accountsOf(app.db, user.id), [user.home_currency]);

  const now = app.clock.now();
  const keyed = await hashed(app.sealer, request);
  const replay = async (db: Db): Promise<Reply<'createWithdraw'> | null> => {
    const original = await findOriginal(db, keyed, { amountMinor: body.amount, bankDetails }, now);
    return original ? ok(withdrawFrom(original, app.config.provider.name)) : null;
  };
  // A withdrawal accepted before is answered even while the balance cannot be read from the provider.
  const before = await replay(app.db);
  if (before) return before;

  // A sealed copy: bank details saved later change nothing about this withdrawal.
  const id = newId();
  const destination = JSON.stringify(await openBankDetails(app.sealer, bankDetails));
  const destinationSealed = await app.sealer.seal(
    encryptionContexts.withdrawDestination(user.id, id),
    destination,
  );

  return reserve<Reply<'createWithdraw'>>(
    app,
    user,
    { amountMinor: body.amount, homeAccountRef },
    {
      replay,
      commit: async (tx) => {
        const withdraw = { id, amountMinor: body.amount, bankDetails, destinationSealed };
        const row = await acceptWithdraw(app, tx, withdraw, { kind: 'request', id: requestId });
        await remember(tx, 'createWithdraw', keyed, row.id, now);
        return created(withdrawFrom(row, app.config.provider.name));
      },
    },
  );
};

/** By its key where the client sent one; otherwise the same withdrawal within a minute is taken for a retry. */
async function findOriginal(
  db: Db,
  request: Hashed,
  wanted: WantedWithdraw,
  now: Date,
): Promise<WithdrawView | undefined> {
  const userId = request.user.id;
  if (request.idempotencyKey === null) return findRepeatedWithdraw(db, userId, wanted, now);
  const id = await recall(db, 'createWithdraw', request);
  return id === null ? undefined : findWithdraw(db, userId, id);
}
