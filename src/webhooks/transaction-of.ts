// The customer's transaction that a callback belongs to: its payload is kept at least until that transaction is final.
import { type RawBuilder, sql } from 'kysely';
import type { ResourceRef } from '../provider/callback.ts';

/** @returns a subquery for the transaction's id; null where the callback belongs to none. */
export function transactionOf(provider: string, resource: ResourceRef | null): RawBuilder<string | null> {
  if (resource === null) return sql<string | null>`null`;
  if (resource.kind === 'movement')
    return sql<string | null>`(
      select id from transactions where provider = ${provider} and provider_ref = ${resource.providerRef}::uuid
      limit 1
    )`;
  return sql<string | null>`(
    select coalesce(payment.transaction_id, withdraw.id)
    from provider_resources resource
    left join pix_payments payment on payment.id = resource.subject_id and payment.user_id = resource.user_id
    left join withdraws withdraw on withdraw.id = resource.subject_id and withdraw.user_id = resource.user_id
    where resource.provider_ref = ${resource.providerRef}::uuid
    limit 1
  )`;
}
