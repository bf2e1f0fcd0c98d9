// Users with a verification, an active account, a fresh balance, and bank details in one currency or in both. They differ only in
// the form in which their personal values are stored.
import { randomUUID } from 'node:crypto';
import { newId } from '../../src/domain/ids.ts';
import type { Db } from '../../src/platform/database/orm.ts';
import { encryptionContexts } from '../../src/platform/security/encryption-contexts.ts';
import type { Sealer } from '../../src/platform/security/sealer.ts';
import { type Variant, variants } from './variants.ts';

const DAY_MS = 24 * 60 * 60_000;

export type Person = {
  id: string;
  accountId: string;
  bankDetailsIds: string[];
  number: number;
  variant: Variant;
};

/** @param currencies in how many currencies they have bank details: in their home currency, or in both. */
export const makePeople = (many: number, currencies: number): Person[] =>
  Array.from({ length: many }, (_, number) => ({
    id: newId(),
    accountId: newId(),
    bankDetailsIds: Array.from({ length: currencies }, newId),
    number,
    // The groups alternate, so that no group has pages of the database to itself.
    variant: variants[number % variants.length] ?? 'on',
  }));

/**
 * @param sealerOf the sealer of a group.
 * @param at the time of everything but the balances. They are dated a day ahead, so they stay fresh: reading one from a provider would
 *   cost a hundred times what is measured.
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
    const moments = { createdAt: at, updatedAt: at };
    await db
      .insertInto('User')
      .values({
        id,
        authProvider: 'identity_provider_b',
        authSubject: randomUUID(),
        displayName: name,
        homeCurrency: 'GBP',
        balanceMinor: 123_456,
        balanceReadAt: new Date(at.getTime() + DAY_MS),
        createdAt: at,
      })
      .execute();
    // A data key is created only for a user who has a row.
    const email = `ada.silva.${number}@example.com`;
    await db
      .updateTable('User')
      .set({ emailSealed: await sealer.seal(encryptionContexts.email(id, id), email) })
      .where('id', '=', id)
      .execute();
    await db
      .insertInto('KycVerification')
      .values({
        id,
        userId: id,
        state: 'completed',
        seq: 2,
        stateEnteredAt: at,
        level: 'standard',
        completedAt: at,
        ...moments,
      })
      .execute();
    const deposit = JSON.stringify({ currency: 'GBP', ...pounds });
    await db
      .insertInto('ProviderAccount')
      .values({
        id: accountId,
        userId: id,
        currency: 'GBP',
        state: 'active',
        seq: 2,
        stateEnteredAt: at,
        providerAccountId: randomUUID(),
        depositInstructionsSealed: await sealer.seal(
          encryptionContexts.depositInstructions(id, accountId, at),
          deposit,
        ),
        depositInstructionsSealedAt: at,
        ...moments,
      })
      .execute();
    const details = [
      { currency: 'GBP', ...pounds },
      { currency: 'EUR', ...euros },
    ] as const;
    for (const [index, one] of details.slice(0, bankDetailsIds.length).entries())
      await db
        .insertInto('BankDetails')
        .values({
          id: bankDetailsIds[index] ?? newId(),
          userId: id,
          currency: one.currency,
          detailsSealed: await sealer.seal(
            encryptionContexts.bankDetails(id, one.currency, 1),
            JSON.stringify(one),
          ),
          version: 1,
          validationStatus: 'match',
          validatedAt: at,
          ...moments,
        })
        .execute();
  }
}
