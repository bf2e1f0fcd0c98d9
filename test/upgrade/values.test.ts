// Values that other versions wrote, and whose meaning must never change: sealed ones, tokens, names, cursors, hashes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSessionTokens } from '../../src/auth/session-token.ts';
import { hashed, recall } from '../../src/commands/idempotency.ts';
import { createOrm, type Db, type Orm } from '../../src/database/orm.ts';
import { createPool } from '../../src/database/pool.ts';
import { handleFor } from '../../src/domain/handles.ts';
import { parseQuoteId, quoteIdText } from '../../src/domain/ids.ts';
import { parseCallback } from '../../src/provider/callback.ts';
import { pageRequest } from '../../src/queries/paging.ts';
import { createDataKeys } from '../../src/sealing/data-keys.ts';
import { encryptionContexts } from '../../src/sealing/encryption-contexts.ts';
import type { EncryptionContext } from '../../src/sealing/envelope.ts';
import { createSealer } from '../../src/sealing/sealer.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { valuesOf } from './fixtures.ts';

let database: TestDatabase;
let orm: Orm;
let db: Db;

beforeAll(async () => {
  database = await createTestDatabase();
  orm = await createOrm(createPool(database.url, 2));
  db = orm.em.getKysely();
});
afterAll(async () => {
  await orm.close(true);
  await database.drop();
});

type Sealed = {
  place: keyof typeof encryptionContexts;
  of: [string, string];
  scope: string;
  masterKeyId: string;
  masterKey: string;
  wrappedKey: string;
  sealed: string;
  opens: string;
};

describe('sealed values open where they were sealed', () => {
  it.each(valuesOf<Sealed>('sealed '))('%s', async (_name, fixture) => {
    await db
      .insertInto('data_keys')
      .values({
        scope: fixture.scope,
        master_key_id: fixture.masterKeyId,
        wrapped_key: Buffer.from(fixture.wrappedKey, 'base64'),
        created_at: new Date(),
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const masterKeys = [{ id: fixture.masterKeyId, key: Buffer.from(fixture.masterKey, 'base64') }];
    const sealer = createSealer(createDataKeys(db, masterKeys));
    expect(await sealer.open(placeOf(fixture), Buffer.from(fixture.sealed, 'base64'))).toBe(fixture.opens);
  });
});

const placeOf = ({ place, of: [owner, row] }: Sealed): EncryptionContext =>
  place === 'webhookPayload'
    ? encryptionContexts.webhookPayload(owner, new Date(row))
    : encryptionContexts[place](owner, row);

it.each(valuesOf<{ secret: string; token: string; userId: string; at: string }>('session'))(
  'a token of a %s still authenticates its user',
  async (_name, { secret, token, userId, at }) => {
    const clock = { now: () => new Date(at) };
    const sessions = await createSessionTokens({ secrets: [secret], ttlSeconds: 60 }, clock);
    expect(await sessions.verify(token)).toBe(userId);
  },
);

it.each(valuesOf<{ id: string; purpose: Parameters<typeof handleFor>[1]; handle: string }>('handle '))(
  '%s is still the same name upstream',
  (_name, { id, purpose, handle }) => {
    expect(handleFor(id, purpose)).toBe(handle);
  },
);

it.each(valuesOf<{ text: string; id: string }>('quote id'))(
  'a %s is still understood',
  (_name, { text, id }) => {
    expect([parseQuoteId(text), quoteIdText(id)]).toEqual([id, text]);
  },
);

it.each(valuesOf<{ cursor: string; createdAt: string; id: string }>('cursor'))(
  'a %s still leads on',
  (_name, { cursor, createdAt, id }) => {
    expect(pageRequest({ cursor }).after).toEqual({ createdAt: new Date(createdAt), id });
  },
);

type StoredCallback = { body: string; eventType: string; externalId: string; nudge: unknown };

it.each(valuesOf<StoredCallback>('callback '))(
  'the %s is still the same callback',
  // What was kept says `nudge` for the resource.
  (_name, { body, nudge: resource, ...stored }) => {
    expect(parseCallback(Buffer.from(body), { kycEvent: null })).toEqual({ ...stored, resource });
  },
);

type Remembered = {
  operation: Parameters<typeof recall>[1];
  key: string;
  params: object | null;
  body: object;
  requestHash: string;
  resourceId: string;
};

it.each(valuesOf<Remembered>('idempotency key '))('the %s is still recalled', async (_name, fixture) => {
  const { operation, key, params, body, requestHash, resourceId } = fixture;
  const user = { id: crypto.randomUUID() };
  await db
    .insertInto('idempotency_keys')
    .values({
      user_id: user.id,
      operation,
      key,
      request_hash: Buffer.from(requestHash, 'hex'),
      resource_id: resourceId,
      created_at: new Date(),
    })
    .execute();
  const sealer = createSealer(createDataKeys(db, [{ id: 'now', key: Buffer.alloc(32) }]));
  const request = await hashed(sealer, { user, idempotencyKey: key, body, ...(params && { params }) });
  expect(await db.transaction().execute((tx) => recall(tx, operation, request))).toBe(resourceId);
});
