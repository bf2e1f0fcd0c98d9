// The objects at the provider that we created or follow: their handles, the last snapshot that was applied, and the next poll.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { unfinished } from '../../machines/states.ts';
import { oneOf } from '../database/one-of.ts';
import { prepared } from '../database/prepared.ts';
import type { Entity } from '../entities/rows.ts';

type ProviderResource = Entity<'ProviderResource'>;

/** The verification of a user who closes the account is not polled any more. */
export const stopVerificationPolls = prepared.count((db, { userId }: { userId: string }) =>
  db
    .updateTable('ProviderResource')
    .set({ nextPollAt: null })
    .where('userId', '=', userId)
    .where('kind', '=', 'owner'),
);

/** Finds the resource that follows an object of the provider, or that has the object as a twin. */
export const findResourceOfObject = prepared.first((db, { providerRef }: { providerRef: string }) =>
  db
    .selectFrom('ProviderResource')
    .selectAll()
    .where((is) =>
      is.or([
        is('providerRef', '=', providerRef),
        is('handle', 'in', (twins) =>
          twins
            .selectFrom('Discrepancy')
            .select('handle')
            .where('kind', '=', 'twin')
            .where('providerRef', '=', providerRef),
        ),
      ]),
    ),
);

/** Follows an object of the provider as if no snapshot had been applied. */
export const resetSnapshot = prepared.count(
  (db, given: { handle: string; userId: string; providerRef: string }) =>
    db
      .updateTable('ProviderResource')
      .set({
        providerRef: given.providerRef,
        snapshotUpdatedAt: null,
        snapshotStatus: null,
        snapshotAttempt: null,
        snapshotContent: null,
        announcedAt: null,
        pollCount: 0,
      })
      .where('handle', '=', given.handle)
      .where('userId', '=', given.userId),
);

/** @param given `payoutsSince`: a payout whose last snapshot is older does not call back any more. */
type Callbacks = { secretId: string; payoutsSince: Date };

/** The resource still calls back under another secret. An account may always call back; the others until they have ended. */
const isToBeMoved = ({ secretId, payoutsSince }: Callbacks): RawBuilder<SqlBool> => sql`(
  resource.provider_ref is not null
  and resource.callback_secret_id is distinct from ${secretId}::uuid
  and (
    resource.kind = 'account'
    or resource.next_poll_at is not null
    or resource.kind = 'payout' and resource.snapshot_updated_at > ${payoutsSince}
    or exists (
      select from kyc_verifications kyc
      where kyc.id = resource.subject_id and kyc.user_id = resource.user_id and kyc.state in ${oneOf(unfinished.kyc)}
    )
    or exists (
      select from pix_payments payment
      where payment.id = resource.subject_id and payment.user_id = resource.user_id
        and payment.state in ${oneOf(unfinished.pix_payment)}
    )
    or exists (
      select from withdraws withdraw
      where withdraw.id = resource.subject_id and withdraw.user_id = resource.user_id
        and withdraw.state in ${oneOf(unfinished.withdraw)}
    )
  )
)`;

type CallbackTarget = Pick<ProviderResource, 'handle' | 'kind'> & { ref: string };

/** Lists a page of the resources that still call back under another secret. */
export const listCallbacksToBeMoved = prepared.all(
  (_db, given: Callbacks & { after: string; createdUntil: Date; limit: number }) => sql<CallbackTarget>`
    select handle, kind, provider_ref as ref from provider_resources resource
    where handle > ${given.after} and ${isToBeMoved(given)} and created_at <= ${given.createdUntil}
    order by handle limit ${given.limit}`,
);

export const countCallbacksToBeMoved = prepared.first(
  (_db, given: Callbacks) => sql<{ many: number }>`
    select count(*) as many from provider_resources resource where ${isToBeMoved(given)}`,
);

/** Keeps the secret that these resources call back under. */
export const setCallbackSecret = prepared.count(
  (_db, { handles, secretId }: { handles: string[]; secretId: string }) => sql`
    update provider_resources set callback_secret_id = ${secretId} where handle = any(${handles}::uuid[])`,
);
