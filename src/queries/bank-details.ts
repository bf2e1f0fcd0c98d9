// Saved bank details, masked unless a reveal is requested.

import type { BankDetails as BankDetailsView } from '../../openapi/generated/openapi.ts';
import type { Db } from '../database/orm.ts';
import type { BankDetails } from '../domain/bank-details.ts';
import { maskBankDetails } from '../domain/masking.ts';
import type { BankDetailsRow } from '../entities/rows.ts';
import { encryptionContexts } from '../sealing/encryption-contexts.ts';
import type { Sealer } from '../sealing/sealer.ts';

export const listBankDetails = (db: Db, userId: string): Promise<BankDetailsRow[]> =>
  db
    .selectFrom('bank_details')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .execute();

export const openBankDetails = async (sealer: Sealer, row: BankDetailsRow): Promise<BankDetails> =>
  JSON.parse(
    await sealer.open(
      encryptionContexts.bankDetails(row.user_id, row.currency, row.version),
      row.details_sealed,
    ),
  ) as BankDetails;

export async function bankDetailsFrom(
  sealer: Sealer,
  row: BankDetailsRow,
  { reveal }: { reveal: boolean },
): Promise<BankDetailsView> {
  const details = await openBankDetails(sealer, row);
  return {
    id: row.id,
    ...(reveal ? details : maskBankDetails(details)),
    validatedAt: row.validated_at?.toISOString() ?? null,
    validationStatus: row.validation_status,
    createdAt: row.created_at.toISOString(),
  };
}
