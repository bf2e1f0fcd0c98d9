// Simplified sessions: the set-up of the benchmark names a user and their accounts, and gets a signed token.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { newId } from '../../../src/domain/ids.ts';
import { inTransaction, query } from '../query.ts';
import { type Reference, Refused } from './reference.ts';

/** The provider's ids of the accounts, by currency. The home currency comes first. */
export type SessionRequest = { name: string; accounts: Record<string, string> };

export async function startSession({ db, sessionSecret }: Reference, { name, accounts }: SessionRequest) {
  const userId = newId();
  const [home] = Object.keys(accounts);
  await inTransaction(db, async (client) => {
    await query(client, 'insert into users (id, name, home_currency, created_at) values ($1, $2, $3, $4)', [
      userId,
      name,
      home,
      new Date(),
    ]);
    const insert = 'insert into accounts (user_id, currency, provider_account_id) values ($1, $2, $3)';
    for (const [currency, ref] of Object.entries(accounts))
      await query(client, insert, [userId, currency, ref]);
  });
  return { sessionToken: `${userId}.${signatureOf(sessionSecret, userId)}` };
}

/** @throws Refused if the token is not valid. */
export function userOf({ sessionSecret }: Reference, authorization = ''): string {
  const [userId = '', signature = ''] = authorization.replace(/^Bearer /, '').split('.');
  if (!isEqual(signature, signatureOf(sessionSecret, userId))) throw new Refused(401, 'unauthorized');
  return userId;
}

export function isEqual(value: string, expected: string): boolean {
  return value.length === expected.length && timingSafeEqual(Buffer.from(value), Buffer.from(expected));
}

const signatureOf = (secret: string, text: string): string =>
  createHmac('sha256', secret).update(text).digest('base64url');
