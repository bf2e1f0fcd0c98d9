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
  const keyed = await hashed(app.sealer, request);
  const replyTo = (original: WithdrawView | undefined): Reply<'createWithdraw'> | null =>
    original ? ok(withdrawFrom(original, app.config.provider.name)) : null;
  // A repetition under its key gets its withdrawal, although the preconditions of a new one may no longer hold.
  const kept = replyTo(await findByKey(app.db, keyed));
  if (kept) return kept;

  if (user.home_currency === null) throw new Refusal('home_currency_required');
  const bankDetails = (await listBankDetails(app.db, user.id)).find(
    ({ currency }) => currency === user.home_currency,
  );
  if (!bankDetails) throw new Refusal('bank_details_required');
  const homeAccountRef = activeAccount(await accountsOf(app.db, user.id), [user.home_currency]);

  const wanted = { amountMinor: body.amount, bankDetails };
  const replay = async (db: Db) => replyTo(await findOriginal(db, keyed, wanted));
  // A withdrawal accepted before is returned even while the balance cannot be read from the provider.
  const before = keyed.idempotencyKey === null ? await replay(app.db) : null;
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
      commit: async (tx, now) => {
        const withdraw = { id, amountMinor: body.amount, bankDetails, destinationSealed };
        const row = await acceptWithdraw(app, tx, withdraw, { kind: 'request', id: requestId }, now);
        await remember(tx, 'createWithdraw', keyed, row.id, now);
        return created(withdrawFrom(row, app.config.provider.name));
      },
    },
  );
};

/** By its key if the client sent one; otherwise the same withdrawal within a minute is taken for a retry. */
const findOriginal = (db: Db, request: Hashed, wanted: WantedWithdraw): Promise<WithdrawView | undefined> =>
  request.idempotencyKey === null
    ? findRepeatedWithdraw(db, request.user.id, wanted)
    : findByKey(db, request);

async function findByKey(db: Db, request: Hashed): Promise<WithdrawView | undefined> {
  const id = await recall(db, 'createWithdraw', request);
  return id === null ? undefined : findWithdraw(db, request.user.id, id);
}
