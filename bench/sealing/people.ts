// Users with a verification, an active account, a fresh balance, and bank details in one currency or in both: all of
// them equal but for the form in which their personal values are stored.
import { randomUUID } from 'node:crypto';
import type { Db } from '../../src/database/orm.ts';
import { newId } from '../../src/domain/ids.ts';
import { encryptionContexts } from '../../src/sealing/encryption-contexts.ts';
import type { Sealer } from '../../src/sealing/sealer.ts';
import { type Variant, variants } from './variants.ts';

export type Person = {
  id: string;
  accountId: string;
  bankDetailsIds: string[];
  number: number;
  variant: Variant;
};

/** @param currencies in how many they have bank details: in their own, or in both. */
export const makePeople = (many: number, currencies: number): Person[] =>
  Array.from({ length: many }, (_, number) => ({
    id: newId(),
    accountId: newId(),
    bankDetailsIds: Array.from({ length: currencies }, newId),
    number,
    // In turns, so that no group has pages of the database to itself.
    variant: variants[number % variants.length] ?? 'on',
  }));

/**
 * @param sealerOf the sealer of a group.
 * @param at the time of everything; the balance is fresh for a service whose clock is stopped there.
 */
export async function fill(
  db: Db,
  sealerOf: (variant: Variant) => Sealer,
  people: Person[],
  at: Date,
): Promise<void> {
  for (const { id, accountId, bankDetailsIds, number, variant } of people) {
    const sealer = sealerOf(variant);
    const name = `Ada Silva ${number}`;
    const pounds = { accountHolderName: name, accountNumber: '12345678', sortCode: '12-34-56' };
    const euros = { accountHolderName: name, iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' };
    const moments = { created_at: at, updated_at: at };
    await db
      .insertInto('users')
      .values({
        id,
        auth_provider: 'identity_provider_b',
        auth_subject: randomUUID(),
        display_name: name,
        home_currency: 'GBP',
        balance_minor: 123_456,
        balance_read_at: at,
        created_at: at,
      })
      .execute();
    // A data key is created only for a user who has a row.
    const email = `ada.silva.${number}@example.com`;
    await db
      .updateTable('users')
      .set({ email_sealed: await sealer.seal(encryptionContexts.email(id, id), email) })
      .where('id', '=', id)
      .execute();
    await db
      .insertInto('kyc_verifications')
      .values({
        id,
        user_id: id,
        state: 'completed',
        seq: 2,
        state_entered_at: at,
        level: 'standard',
        completed_at: at,
        ...moments,
      })
      .execute();
    const deposit = JSON.stringify({ currency: 'GBP', ...pounds });
    await db
      .insertInto('provider_accounts')
      .values({
        id: accountId,
        user_id: id,
        currency: 'GBP',
        state: 'active',
        seq: 2,
        state_entered_at: at,
        provider_account_id: randomUUID(),
        deposit_instructions_sealed: await sealer.seal(
          encryptionContexts.depositInstructions(id, accountId, at),
          deposit,
        ),
        deposit_instructions_sealed_at: at,
        ...moments,
      })
      .execute();
    const details = [
      { currency: 'GBP', ...pounds },
      { currency: 'EUR', ...euros },
    ] as const;
    for (const [index, one] of details.slice(0, bankDetailsIds.length).entries())
      await db
        .insertInto('bank_details')
        .values({
          id: bankDetailsIds[index] ?? newId(),
          user_id: id,
          currency: one.currency,
          details_sealed: await sealer.seal(
            encryptionContexts.bankDetails(id, one.currency, 1),
            JSON.stringify(one),
          ),
          version: 1,
          validation_status: 'match',
          validated_at: at,
          ...moments,
        })
        .execute();
  }
}
