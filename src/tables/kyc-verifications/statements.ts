// The users' verifications: one row for each user.

import { sql } from 'kysely';
import { equals, prepared } from '../prepared.ts';
import { type Entity } from '../rows.ts';

export const findKyc = prepared.first((db, { userId }: { userId: string }) =>
  db.selectFrom('KycVerification').selectAll().where('userId', '=', userId),
);

type Kyc = Entity<'KycVerification'>;

type Identity = Pick<Kyc, 'id' | 'userId'> & {
  identitySealed: Uint8Array;
  identitySealedAt: Date;
  completedAt: Date;
};

export const setIdentity = prepared.count(
  (db, { id, userId, identitySealed, identitySealedAt, completedAt }: Identity) =>
    db
      .updateTable('KycVerification')
      .set({ identitySealed, identitySealedAt, completedAt })
      .where(equals({ id, userId })),
);

type Provisioning = {
  /** Whether users get a USDC account. */
  usdcAccountsEnabled: boolean;
  /** How many accounts each user gets. */
  accounts: number;
  after: string;
  limit: number;
};

/**
 * Lists a page of the verified users who have fewer accounts than they should have, and no effect under way that opens them. A
 * verification has its user's id.
 */
export const listVerifiedWithoutAccounts = prepared.all(
  (_db, params: Provisioning) => sql<Pick<Kyc, 'id' | 'seq'>>`
    select kyc.id, kyc.seq
    from kyc_verifications kyc join users on users.id = kyc.user_id
    where kyc.state = 'completed' and kyc.id > ${params.after} and users.home_currency is not null
      and (
        select count(*) from provider_accounts account
        where account.user_id = kyc.user_id
          and (account.currency in (users.home_currency::text::currency, 'BRL')
            or account.currency = 'USDC' and ${params.usdcAccountsEnabled})
      ) < ${params.accounts}
      and not exists (
        select from effects
        where effects.subject_id = kyc.id and effects.user_id = kyc.user_id
          and effects.type = 'provisionAccounts' and effects.status in ('queued', 'exhausted')
      )
    order by kyc.id limit ${params.limit}`,
);
