// The customer's transaction that a callback belongs to: its payload is kept at least until that transaction is final.
import { type RawBuilder, sql } from 'kysely';
import type { ResourceRef } from '../provider/callback.ts';

/** What a callback names: nothing of ours, money that moved, or what we ordered. */
export type Named = 'nothing' | 'movement' | 'resource';

export const namedBy = (resource: ResourceRef | null): Named => {
  if (resource === null) return 'nothing';
  return resource.kind === 'movement' ? 'movement' : 'resource';
};

/** @returns a subquery for the transaction's id; null where the callback belongs to none. */
export function transactionOf(
  named: Named,
  provider: string,
  providerRef: string | null,
): RawBuilder<string | null> {
  switch (named) {
    case 'nothing':
      return sql<string | null>`null`;
    case 'movement':
      return sql<string | null>`(
        select id from transactions where provider = ${provider} and provider_ref = ${providerRef}::uuid
        limit 1
      )`;
    case 'resource':
      return sql<string | null>`(
        select coalesce(payment.transaction_id, withdraw.id)
        from provider_resources resource
        left join pix_payments payment on payment.id = resource.subject_id and payment.user_id = resource.user_id
        left join withdraws withdraw on withdraw.id = resource.subject_id and withdraw.user_id = resource.user_id
        where resource.provider_ref = ${providerRef}::uuid
        limit 1
      )`;
  }
}
