// Opens saved bank details, masked unless a reveal is requested.

import type { BankDetails as BankDetailsView } from '../../openapi/generated/openapi.ts';
import type { BankDetails } from '../domain/bank-details.ts';
import { maskBankDetails } from '../domain/masking.ts';
import { encryptionContexts } from '../security/encryption-contexts.ts';
import type { Sealer } from '../security/sealer.ts';
import type { Entity } from '../tables/rows.ts';

export const openBankDetails = async (sealer: Sealer, row: Entity<'BankDetails'>): Promise<BankDetails> =>
  JSON.parse(
    await sealer.open(
      encryptionContexts.bankDetails(row.userId, row.currency, row.version),
      row.detailsSealed,
    ),
  ) as BankDetails;

export async function bankDetailsFrom(
  sealer: Sealer,
  row: Entity<'BankDetails'>,
  { reveal }: { reveal: boolean },
): Promise<BankDetailsView> {
  const details = await openBankDetails(sealer, row);
  return {
    id: row.id,
    ...(reveal ? details : maskBankDetails(details)),
    validatedAt: row.validatedAt?.toISOString() ?? null,
    validationStatus: row.validationStatus,
    createdAt: row.createdAt.toISOString(),
  };
}
