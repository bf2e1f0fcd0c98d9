// Values that released versions wrote, and that every version must read or derive again: sealed values, tokens, handles, cursors
// and hashes. Each test says what breaks if the code no longer does.
import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { hashed, recall } from '../../src/api/idempotency.ts';
import { pageStart } from '../../src/api/paging.ts';
import { faultOf, type Head, headOf, headText } from '../../src/audit/chain.ts';
import { handleFor } from '../../src/domain/handles.ts';
import {
  parseQuoteId,
  paymentIdOf,
  quoteIdText,
  transactionIdOf,
  withdrawIdOf,
} from '../../src/domain/ids.ts';
import { notOrdered } from '../../src/jobs/reconciliation/record-not-ordered.ts';
import { recipientIdOf } from '../../src/payments/recipients/note.ts';
import { parseCallback } from '../../src/provider/callback.ts';
import type { Snapshot, TransferSnapshot } from '../../src/provider/port.ts';
import {
  contradictedState,
  type DiscrepancyKind,
  debitDiffers,
  deliveryDiffers,
  notAsOrdered,
  quoteLifetime,
  steppedBack,
} from '../../src/reports/discrepancies.ts';
import { findingIdOf } from '../../src/reports/list-findings.ts';
import { appliedColumns } from '../../src/reports/recency.ts';
import { twin } from '../../src/reports/twins.ts';
import { vanishedFingerprint } from '../../src/reports/vanished.ts';
import { createDataKeys } from '../../src/security/data-keys.ts';
import { encryptionContexts } from '../../src/security/encryption-contexts.ts';
import type { EncryptionContext } from '../../src/security/envelope.ts';
import { createSealer, type Sealer } from '../../src/security/sealer.ts';
import { createSessionTokens } from '../../src/security/session-token.ts';
import type { ChainedRow } from '../../src/tables/audit-events/statements.ts';
import { callbackUrl, hashText } from '../../src/webhooks/secrets.ts';
import { insertUser } from '../support/bare-users.ts';
import { byTable } from '../support/by-table.ts';
import { useOrm } from '../support/use-database.ts';
import { valuesOf } from './fixtures.ts';

const database = useOrm();

type Sealed = {
  place: keyof typeof encryptionContexts;
  of: [string, string];
  /** The version of the row, or the time of sealing in milliseconds. Former versions of the service bound a value to neither. */
  version?: number;
  scope: string;
  masterKeyId: string;
  masterKey: string;
  wrappedKey: string;
  sealed: string;
  opens: string;
};

test.each(valuesOf<Sealed>('sealed '))('the value %s opens in its context', async (_name, fixture) => {
  const sealer = await sealerOf(fixture);
  const opened = sealer.open(placeOf(fixture), Buffer.from(fixture.sealed, 'base64'));
  await expect(opened, 'Personal values in databases can no longer be read.').resolves.toBe(fixture.opens);
});

type PaidRecipient = KeyFixture & { pixKeyType: 'cpf' | 'email'; pixKey: string; id: string };

test.each(valuesOf<PaidRecipient>('recipient '))('the id of the %s stays', async (_name, fixture) => {
  const { scope, pixKeyType, pixKey, id } = fixture;
  const derived = recipientIdOf(await sealerOf(fixture), scope, { pixKeyType, pixKey });
  await expect(derived, 'A recipient is listed twice after the next payment.').resolves.toBe(id);
});

type KeyFixture = Pick<Sealed, 'scope' | 'masterKeyId' | 'masterKey' | 'wrappedKey'>;

async function sealerOf(fixture: KeyFixture): Promise<Sealer> {
  await byTable(database.db)
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
  return createSealer(createDataKeys(database.db, masterKeys));
}

const placeOf = ({ place, of: [owner, row], version }: Sealed): EncryptionContext =>
  place === 'webhookPayload'
    ? encryptionContexts.webhookPayload(owner, new Date(row))
    : encryptionContexts[place](owner, row, version ?? null);

test.each(valuesOf<{ secret: string; token: string; userId: string; at: string }>('session'))(
  'a token of a %s still authenticates its user',
  async (_name, { secret, token, userId, at }) => {
    const clock = { now: () => new Date(at) };
    const sessions = await createSessionTokens({ secrets: [secret], ttlSeconds: 60 }, clock);
    expect(await sessions.verify(token), 'Every user is signed out.').toBe(userId);
  },
);

test('the ids of payments, transactions and withdrawals derive as before: a repeated request would pay again', () => {
  type Derived = Record<'quoteId' | 'paymentId' | 'transactionId' | 'userId' | 'key' | 'withdrawId', string>;
  for (const [, derived] of valuesOf<Derived>('derived ids')) {
    expect(paymentIdOf(derived.quoteId)).toBe(derived.paymentId);
    expect(transactionIdOf(derived.paymentId)).toBe(derived.transactionId);
    expect(withdrawIdOf(derived.userId, derived.key)).toBe(derived.withdrawId);
  }
});

test.each(valuesOf<{ id: string; purpose: Parameters<typeof handleFor>[1]; handle: string }>('handle '))(
  'the %s is the one that the provider knows',
  (_name, { id, purpose, handle }) => {
    expect(handleFor(id, purpose), 'Everything in progress at the provider is created again.').toBe(handle);
  },
);

test.each(valuesOf<{ text: string; id: string }>('quote id'))(
  'a %s of a client is understood',
  (_name, { text, id }) => {
    expect([parseQuoteId(text), quoteIdText(id)], 'Clients cannot pay the quotes that they have.').toEqual([
      id,
      text,
    ]);
  },
);

test.each(valuesOf<{ cursor: string; createdAt: string; id: string }>('cursor'))(
  'a %s of a client leads to the next page',
  (_name, { cursor, createdAt, id }) => {
    const after = pageStart({ cursor });
    expect(after, 'Clients cannot continue the lists that they have begun.').toMatchObject({
      createdAt: new Date(createdAt),
      id,
    });
  },
);

type StoredCallback = {
  body: string;
  kycEvent?: string;
  eventType: string;
  externalId: string;
  nudge: unknown;
};

test.each(valuesOf<StoredCallback>('callback '))(
  'the %s has the identity under which it is stored',
  // The fixtures call the resource `nudge`.
  (_name, { body, kycEvent = null, externalId, nudge: resource, ...stored }) => {
    const {
      names: _names,
      announced: _announced,
      ...parsed
    } = parseCallback(Buffer.from(body), { kycEvent });
    expect(parsed, 'A callback that is sent again is processed again.').toEqual({
      ...stored,
      identity: Buffer.from(externalId, 'hex'),
      resource,
    });
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

test.each(valuesOf<Remembered>('idempotency key '))('the %s is recalled', async (_name, fixture) => {
  const { operation, key, params, body, requestHash, resourceId } = fixture;
  const user = { id: await insertUser(database.db) };
  await byTable(database.db)
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
  const sealer = createSealer(createDataKeys(database.db, [{ id: 'now', key: Buffer.alloc(32) }]));
  const request = await hashed(sealer, { user, idempotencyKey: key, body, ...(params && { params }) });
  const recalled = database.db.transaction().execute((tx) => recall(tx, operation, request));
  await expect(
    recalled,
    'A request that a client repeats is refused, or creates a second resource.',
  ).resolves.toBe(resourceId);
});

type RequestHash = { dataKey: string; userId: string; params?: object; body: object; requestHash: string };

test.each(valuesOf<RequestHash>('request hash '))(
  'the %s equals the one stored with its idempotency key',
  async (_name, { dataKey, userId, requestHash, ...request }) => {
    const keyOf = () => createSecretKey(dataKey, 'base64');
    const sealer = createSealer({ keyOf, findKey: keyOf });
    const made = await hashed(sealer, { user: { id: userId }, idempotencyKey: 'a-key', ...request });
    expect(made.requestHash?.toString('hex'), 'A request that a client repeats is refused.').toBe(
      requestHash,
    );
  },
);

type AuditRow = { before: Head; row: Record<'at' | 'recordedAt', string> & ChainedRow };

test.each(valuesOf<AuditRow>('audit row'))('the hash of an %s is valid', (_name, { before, row }) => {
  const recordedAt = row.recordedAt && new Date(row.recordedAt);
  expect(
    faultOf({ ...row, at: new Date(row.at), recordedAt }, before),
    'Every row of the audit record counts as changed.',
  ).toBeNull();
});

test.each(valuesOf<{ text: string; head: Head }>('audit head'))(
  'an %s that was noted is understood',
  (_name, { text, head }) => {
    expect([headOf(text), headText(head)], 'A head that was kept elsewhere proves nothing.').toEqual([
      head,
      text,
    ]);
  },
);

test.each(valuesOf<{ secret: string; hash: string; base: string; url: string }>('webhook secret'))(
  'a %s has the hash and the address that are in use',
  (_name, { secret, hash, base, url }) => {
    expect(hashText(secret), 'Callbacks under a stored secret are refused.').toBe(hash);
    expect(callbackUrl(base, secret), 'The provider sends callbacks to an address without a route.').toBe(
      url,
    );
  },
);

test.each(valuesOf<{ of: Parameters<typeof findingIdOf>[0]; id: string }>('list finding '))(
  'the %s is recorded under its id',
  (_name, { of, id }) => {
    expect(findingIdOf(of), 'A finding that an operator closed is opened again.').toBe(id);
  },
);

type AppliedSnapshot = { snapshot: Omit<Snapshot, 'updatedAt'>; content: string };

test.each(valuesOf<AppliedSnapshot>('snapshot '))(
  'the content of the %s equals the applied one',
  (_name, { snapshot, content }) => {
    // A payout of 1.1.0 was read without refunds. Today's mapping gives it none.
    const read = { ...(snapshot.kind === 'payout' && { refunds: [] }), ...snapshot, updatedAt: new Date() };
    const { snapshotContent } = appliedColumns(read as Snapshot);
    expect(snapshotContent, 'A snapshot that was applied counts as a new one at the same time.').toBe(
      content,
    );
  },
);

const providerRef = '5b1d3c52-1111-4000-8000-00000000000a';
const updatedAt = new Date('2026-11-21T10:00:00.123Z');
const transfer: TransferSnapshot = {
  kind: 'transfer',
  handle: '93aa35cd-bc1a-5404-9cfd-2cfedf41c684',
  providerRef,
  updatedAt,
  status: 'completed',
  sourceAccountRef: '5b1d3c52-2222-4000-8000-00000000000b',
  destinationAccountRef: '5b1d3c52-3333-4000-8000-00000000000c',
  sourceAmountMinor: 1_000,
  destinationAmountMinor: 6_900,
  sourcePlaces: 2,
  destinationPlaces: 2,
  rate: '6.9',
  failureReason: null,
};
const completed = { type: 'leg1.completed', sourceAmountMinor: 1_000, destinationAmountMinor: 6_900 };

const fingerprints: Record<DiscrepancyKind, string> = {
  contradicted_state: contradictedState(completed, 'failed', transfer).fingerprint,
  not_as_ordered: notAsOrdered(completed, 'paying', ['amount', 'recipient'], transfer).fingerprint,
  debit_differs: debitDiffers(completed, 900, 'converting.leg1', transfer).fingerprint,
  delivery_differs: deliveryDiffers(completed, 900, 'converting.leg1', transfer).fingerprint,
  twin: twin(transfer, 'paying').fingerprint,
  vanished: vanishedFingerprint(providerRef, 2),
  clock_stepped_back: steppedBack(transfer, 'paying').fingerprint,
  quote_lifetime: quoteLifetime({ providerRef, lifeMs: 1 }, 'quoted', updatedAt).fingerprint,
  not_ordered: notOrdered(transfer, 'active').fingerprint,
};

test.each(Object.entries(fingerprints))(
  'a discrepancy %s has the fingerprint under which it was recorded',
  (kind, fingerprint) => {
    expect(fingerprint, 'A discrepancy that an operator resolved is recorded again.').toBe(
      Object.fromEntries(valuesOf<string>('fingerprint '))[`fingerprint ${kind}`],
    );
  },
);
