// Users with a verification, an active account, a fresh balance and bank details. The service's users have sealed values. The same
// values are plain text for the references' users.

import { randomUUID } from 'node:crypto';
import { newId } from '../../src/domain/ids.ts';
import { encryptionContexts } from '../../src/security/encryption-contexts.ts';
import type { Sealer } from '../../src/security/sealer.ts';
import { createSearchHashes } from '../../src/security/search-hashes.ts';
import type { Db } from '../../src/tables/orm.ts';

const DAY_MS = 24 * 60 * 60_000;

export type Group = 'service' | 'reference';
export type VerifiedUser = { id: string; group: Group };

export const notSealing: Sealer = {
  seal: async (_place, text) => Buffer.from(text),
  sealBytes: async (_place, bytes) => bytes,
  open: async (_place, stored) => Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength).toString(),
  openerOf: async () => (_place, stored) => Buffer.from(stored).toString(),
  openBytes: async (_place, stored) => Buffer.from(stored),
  fingerprint: async (_scope, _purpose, text) => Buffer.from(text),
  search: createSearchHashes([]),
};

/**
 * Creates the users. The groups alternate, so that no group has pages of the database to itself.
 * @param at the time of everything but the balances. They are dated a day ahead, so they stay fresh: reading one from a provider would
 *   cost a hundred times what is measured.
 */
export async function makeVerifiedUsers(
  db: Db,
  sealer: Sealer,
  count: number,
  at: Date,
): Promise<VerifiedUser[]> {
  const users: VerifiedUser[] = [];
  for (let number = 0; number < count; number += 1) {
    const group = number % 2 === 0 ? 'service' : 'reference';
    const id = await makeVerifiedUser(
      db,
      group === 'service' ? sealer : notSealing,
      `Ada Silva ${number}`,
      at,
    );
    users.push({ id, group });
  }
  return users;
}

/** @returns the user's id. */
async function makeVerifiedUser(db: Db, sealer: Sealer, name: string, at: Date): Promise<string> {
  const id = newId();
  const moments = { createdAt: at, updatedAt: at };
  await insertUser(db, id, name, at);
  // A data key is created only for a user who has a row.
  const email = `${name.toLowerCase().replaceAll(' ', '.')}@example.com`;
  await db
    .updateTable('User')
    .set({ emailSealed: await sealer.seal(encryptionContexts.email(id, id), email) })
    .where('id', '=', id)
    .execute();
  const verification = { state: 'completed', seq: 2, stateEnteredAt: at, level: 'standard' } as const;
  await db
    .insertInto('KycVerification')
    .values({ id, userId: id, ...verification, completedAt: at, ...moments })
    .execute();
  const details = JSON.stringify({
    currency: 'GBP',
    accountHolderName: name,
    accountNumber: '12345678',
    sortCode: '12-34-56',
  });
  const accountId = newId();
  const instructions = encryptionContexts.depositInstructions(id, accountId, at);
  const account = { id: accountId, userId: id, currency: 'GBP', providerAccountId: randomUUID() } as const;
  await db
    .insertInto('ProviderAccount')
    .values({
      ...account,
      state: 'active',
      seq: 2,
      stateEnteredAt: at,
      depositInstructionsSealed: await sealer.seal(instructions, details),
      depositInstructionsSealedAt: at,
      ...moments,
    })
    .execute();
  const detailsSealed = await sealer.seal(encryptionContexts.bankDetails(id, 'GBP', 1), details);
  const bankDetails = { id: newId(), userId: id, currency: 'GBP', detailsSealed, version: 1 } as const;
  await db
    .insertInto('BankDetails')
    .values({ ...bankDetails, validationStatus: 'match', validatedAt: at, ...moments })
    .execute();
  return id;
}

const insertUser = (db: Db, id: string, name: string, at: Date) =>
  db
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
