// POST /withdraws: sends money from the home balance to the user's own bank.

import { type Hashed, hashed, recall, remember } from '../../api/idempotency.ts';
import { created, type Handler, ok, type Reply } from '../../api/operation.ts';
import { handleFor } from '../../domain/handles.ts';
import { newId, withdrawIdOf } from '../../domain/ids.ts';
import type { Log } from '../../domain/log.ts';
import { expectedSettlementSeconds, rails } from '../../domain/rails.ts';
import { Refusal } from '../../domain/refusals.ts';
import { activeAccount } from '../../ledger/active-accounts.ts';
import { openBankDetails } from '../../ledger/bank-details.ts';
import { reserve } from '../../ledger/reserve.ts';
import { begin } from '../../lifecycle/advance.ts';
import { withdraw } from '../../lifecycle/withdraw.ts';
import type { EnqueuingTx, GroupCommitting } from '../../outbox/hand-off.ts';
import { DatabaseTime } from '../../platform/database/database-time.ts';
import type { NameChecks } from '../../provider/check-name.ts';
import type { Provider } from '../../provider/port.ts';
import { encryptionContexts } from '../../security/encryption-contexts.ts';
import type { Sealer } from '../../security/sealer.ts';
import { listBankDetails } from '../../tables/bank-details/statements.ts';
import type { Db } from '../../tables/orm.ts';
import { listAccounts } from '../../tables/provider-accounts/statements.ts';
import { findResource } from '../../tables/provider-resources/statements.ts';
import type { Entity } from '../../tables/rows.ts';
import { insertTransaction } from '../../tables/transactions/statements.ts';
import type { Cause } from '../../tables/transitions/entity.ts';
import {
  findSameWithdraw,
  findWithdraw,
  type ShownWithdraw,
  type WantedWithdraw,
} from '../../tables/withdraws/statements.ts';
import { nameCheckOf } from './name-check.ts';
import { withdrawFrom } from './present.ts';

type Services = GroupCommitting & {
  provider: Provider<'interactive'>;
  sealer: Sealer;
  nameChecks: NameChecks;
  config: {
    provider: { name: string };
    requiresBankMatch: boolean;
    withdrawNameCheck: 'off' | 'inform' | 'require';
  };
  log: Log;
};

export const createWithdraw: Handler<'createWithdraw', Services> = async (request, services) => {
  const reply = await accept(request, services);
  const ids = { requestId: request.requestId, subjectId: reply.body.id };
  if (reply.status === 201)
    services.log.info({ code: 'withdraw.accepted', ...ids }, 'the withdrawal was accepted');
  else services.log.info({ code: 'withdraw.repeated', ...ids }, 'the withdrawal was a repetition');
  return reply;
};

const accept: Handler<'createWithdraw', Services> = async (request, services) => {
  const { user, body, requestId } = request;
  // The accepted check does not make another request: a repetition may have a newer one, or none.
  const keyed = await hashed(services.sealer, { ...request, body: { amount: body.amount } });
  const replyTo = (original: ShownWithdraw | undefined): Reply<'createWithdraw'> | null =>
    original ? ok(withdrawFrom(original, services.config.provider.name)) : null;
  // A repetition under its key returns its withdrawal, even if the preconditions of a new one no longer hold.
  const kept = replyTo(await findByKey(services.db, keyed));
  if (kept) return kept;
  const { id, adopted } = await placeOf(services.db, keyed);
  if (adopted && adopted.amountMinor !== body.amount) throw new Refusal('idempotency_key_reused');
  if (adopted) return ok(withdrawFrom(adopted, services.config.provider.name));

  if (user.homeCurrency === null) throw new Refusal('home_currency_required');
  const bankDetails = (await listBankDetails(services.db, { userId: user.id })).find(
    ({ currency }) => currency === user.homeCurrency,
  );
  if (!bankDetails) throw new Refusal('bank_details_required');
  const accounts = await listAccounts(services.db, { userId: user.id });
  const homeAccountRef = await activeAccount(services.db, { userId: user.id, accounts }, [user.homeCurrency]);

  const wanted = {
    userId: user.id,
    amountMinor: body.amount,
    bankDetailsId: bankDetails.id,
    bankDetailsVersion: bankDetails.version,
  };
  const replay = async (db: Db) => replyTo(await findOriginal(db, keyed, wanted));
  // A withdrawal that was accepted before is returned even if the balance cannot be read from the provider.
  const before = keyed.idempotencyKey === null ? await replay(services.db) : null;
  if (before) return before;
  const { validationStatus } = bankDetails;
  const details = await openBankDetails(services.sealer, bankDetails);
  const acceptedCheckId = body.acceptedCheckId?.toLowerCase() ?? null;
  const nameCheck = await nameCheckOf(services, { bankDetails, details, acceptedCheckId });

  // A sealed copy of the destination. Bank details that are saved later do not change this withdrawal.
  const destination = JSON.stringify(details);
  const destinationSealed = await services.sealer.seal(
    encryptionContexts.withdrawDestination(user.id, id),
    destination,
  );

  return reserve<Reply<'createWithdraw'>>(
    services,
    user,
    { amountMinor: body.amount, homeAccountRef },
    {
      replay,
      commit: async (tx, now) => {
        const accepted = { id, amountMinor: body.amount, bankDetails, destinationSealed, nameCheck };
        const row = await acceptWithdraw(services, tx, accepted, { kind: 'request', id: requestId }, now);
        await remember(tx, 'createWithdraw', keyed, row.id);
        return created(withdrawFrom({ ...row, validationStatus }, services.config.provider.name));
      },
    },
  );
};

/**
 * Finds the withdrawal that a request repeats: by its key, if the client sent one; otherwise the same withdrawal within a
 * minute, unless that one failed.
 */
const findOriginal = (db: Db, request: Hashed, wanted: WantedWithdraw): Promise<ShownWithdraw | undefined> =>
  request.idempotencyKey === null ? findRecent(db, wanted) : findByKey(db, request);

const REPETITION_WITHIN_MS = 60_000;

/** The database's clock decides, because another process may have accepted the withdrawal. */
async function findRecent(db: Db, wanted: WantedWithdraw): Promise<ShownWithdraw | undefined> {
  const [latest, now] = await Promise.all([findSameWithdraw(db, wanted), DatabaseTime.read(db)]);
  return latest && now.plus(-REPETITION_WITHIN_MS).isBefore(latest.createdAt) ? latest : undefined;
}

async function findByKey(db: Db, request: Hashed): Promise<ShownWithdraw | undefined> {
  const id = await recall(db, 'createWithdraw', request);
  return id === null ? undefined : findWithdraw(db, { userId: request.user.id, id });
}

/**
 * Returns the id of a new withdrawal. It derives from the key, so a request that is repeated after its row was lost finds the payout at
 * the provider. If recovery has adopted that payout, returns the withdrawal that has it now.
 */
async function placeOf(
  db: Db,
  { user: { id: userId }, idempotencyKey }: Hashed,
): Promise<{ id: string; adopted?: ShownWithdraw | undefined }> {
  if (idempotencyKey === null) return { id: newId() };
  const id = withdrawIdOf(userId, idempotencyKey);
  const payout = await findResource(db, { userId, handle: handleFor(id, 'withdraw') });
  if (!payout) return { id };
  // The withdrawal under this key is so old that the key was deleted. The request is a new one.
  if (payout.subjectId === id) return { id: newId() };
  return { id, adopted: await findWithdraw(db, { userId, id: payout.subjectId }) };
}

export type AcceptedWithdraw = {
  id: string;
  amountMinor: number;
  bankDetails: Pick<Entity<'BankDetails'>, 'id' | 'userId' | 'currency' | 'version'>;
  destinationSealed: Buffer;
  nameCheck: Entity<'Withdraw'>['nameCheck'];
};

/**
 * Writes an accepted withdrawal. The caller holds the user's lock and has found the balance sufficient.
 * @param now the database's clock. It decides whether a later withdrawal counts as a repetition of this one.
 */
export async function acceptWithdraw(
  { config }: { config: { provider: { name: string } } },
  tx: EnqueuingTx,
  { id, amountMinor, bankDetails, destinationSealed, nameCheck }: AcceptedWithdraw,
  cause: Cause,
  now: Date,
  lifecycle: typeof withdraw = withdraw,
): Promise<Entity<'Withdraw'>> {
  const { userId, currency } = bankDetails;
  await insertTransaction(tx, {
    id,
    userId,
    type: 'withdraw',
    status: 'settling',
    sourceCurrency: currency,
    sourceAmountMinor: amountMinor,
    destCurrency: null,
    destAmountMinor: null,
    fxRate: null,
    provider: config.provider.name,
    providerRef: null,
    sourceReferenceSealed: null,
    failure: null,
    createdAt: now,
    completedAt: null,
  });
  const row = {
    id,
    userId,
    currency,
    amountMinor,
    rail: rails[currency].rail,
    bankDetailsId: bankDetails.id,
    bankDetailsVersion: bankDetails.version,
    destinationSealed,
    nameCheck,
    expectedSettlementSeconds: expectedSettlementSeconds(currency, now),
    failure: null,
    createdAt: now,
  };
  return begin(tx, lifecycle, row, { amountMinor, currency }, cause, now);
}
