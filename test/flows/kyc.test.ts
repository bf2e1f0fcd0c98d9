// Verification: before it starts, while it is pending, after it has ended, and before or after the choice of the home currency.
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { required } from '../../src/domain/required.ts';
import { enqueueEffect } from '../../src/outbox/enqueue.ts';
import { transaction } from '../../src/outbox/hand-off.ts';
import { ProviderRefusal } from '../../src/provider/errors.ts';
import { findKyc } from '../../src/tables/kyc-verifications/statements.ts';
import { findOwner } from '../../src/tables/provider-resources/statements.ts';
import { sha256 } from '../../src/webhooks/secrets.ts';
import { byTable } from '../support/by-table.ts';
import { waitingForLocks } from '../support/locks.ts';
import { must, type Person, passVerification, signUp, verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import { askUpstream } from '../support/upstream.ts';
import { useWorld } from '../support/use-world.ts';

const { world } = useWorld();

const status = async ({ api }: Person) => must(await api.GET('/kyc/status'));
const pending = {
  status: 'pending',
  level: null,
  hasActiveAccount: false,
  startedAt: expect.any(String) as string,
  failureCode: null,
};
const start = async ({ api }: Person) => must(await api.POST('/kyc/start', {}));

test('a verification that was not started is pending', async () => {
  const ada = await signUp(world);
  expect(await status(ada)).toEqual({ ...pending, startedAt: null });
});

test('starting a verification again continues the same one, also concurrently', async () => {
  const ada = await signUp(world);
  const pages = await Promise.all(Array.from({ length: 5 }, () => start(ada)));
  pages.push(await start(ada));
  for (const page of pages) {
    expect(page.status).toBe('pending');
    expect(Date.parse(page.expiresAt ?? '')).toBeGreaterThan(Date.now());
  }
  const hosted = await fetch(pages.at(-1)?.verificationUrl ?? '');
  expect(hosted.status).toBe(200);
  const { db } = world.service.app;
  const owners = byTable(db)
    .selectFrom('provider_resources')
    .select('provider_ref')
    .where('user_id', '=', ada.userId);
  expect(await owners.execute()).toHaveLength(1);
  expect(await status(ada)).toEqual(pending);
});

test('a completed verification opens the account and shows where to deposit', async () => {
  const before = Date.now();
  const ada = await verified(world);
  expect(await status(ada)).toEqual({
    ...pending,
    status: 'completed',
    level: 'standard',
    hasActiveAccount: true,
  });
  expect(await start(ada)).toEqual({ status: 'completed', verificationUrl: null, expiresAt: null });
  const me = must(await ada.api.GET('/me'));
  expect(me.kyc).toMatchObject({ status: 'completed', level: 'standard' });
  expect(Date.parse(me.kyc.completedAt ?? '')).toBeGreaterThanOrEqual(before);
  expect(me.deposit).toEqual({
    currency: 'GBP',
    accountHolderName: 'Ada Silva',
    accountNumber: expect.stringMatching(/^\d{8}$/) as string,
    sortCode: expect.stringMatching(/^\d\d-\d\d-\d\d$/) as string,
  });
});

test('a deposit account in euros shows IBAN and BIC', async () => {
  const me = must(await (await verified(world, { homeCurrency: 'EUR', deposit: '12.34' })).api.GET('/me'));
  expect(me.balance).toEqual({ currency: 'EUR', amount: 1_234 });
  expect(me.deposit).toEqual({
    currency: 'EUR',
    accountHolderName: 'Ada Silva',
    iban: expect.stringMatching(/^[A-Z]{2}\d{2}[A-Z\d]+$/) as string,
    bic: expect.stringMatching(/^[A-Z\d]{8,11}$/) as string,
  });
});

test('a failed verification has no level and opens no account', async () => {
  const ada = await signUp(world);
  must(await ada.api.PATCH('/me', { body: { homeCurrency: 'GBP' } }));
  await passVerification(ada, 'Ada Fail');
  const failed = await until(
    () => status(ada),
    (seen) => seen.status !== 'pending',
  );
  expect(failed).toEqual({ ...pending, status: 'failed', failureCode: 'other' });
  expect(await start(ada)).toEqual({ status: 'failed', verificationUrl: null, expiresAt: null });
  expect(must(await ada.api.GET('/me'))).toMatchObject({
    kyc: { status: 'failed', level: null, completedAt: null },
    deposit: null,
  });
});

test('a verification stays pending until the provider has decided', async () => {
  const ada = await signUp(world);
  await passVerification(ada, 'Ada Slow');
  expect((await status(ada)).status).toBe('pending');
});

test('an account opens if the home currency is chosen after the verification', async () => {
  const ada = await signUp(world);
  await passVerification(ada);
  await until(
    () => status(ada),
    (seen) => seen.status === 'completed',
  );
  expect((await status(ada)).hasActiveAccount).toBe(false);
  expect(must(await ada.api.GET('/me'))).toMatchObject({ balance: null, deposit: null });
  must(await ada.api.PATCH('/me', { body: { homeCurrency: 'EUR' } }));
  await until(
    () => status(ada),
    (seen) => seen.hasActiveAccount,
  );
  expect(must(await ada.api.GET('/me')).deposit?.currency).toBe('EUR');
});

test('an account opens if the verification ends while the home currency is chosen', async () => {
  const people = await Promise.all(Array.from({ length: 4 }, () => signUp(world)));
  const seen = people.map(async (person) => {
    await passVerification(person);
    await Promise.all([status(person), person.api.PATCH('/me', { body: { homeCurrency: 'GBP' } })]);
    return until(
      () => status(person),
      ({ hasActiveAccount }) => hasActiveAccount,
    );
  });
  for (const { level } of await Promise.all(seen)) expect(level).toBe('standard');
});

test('an account opens if the home currency is committed only after the effect of the verification has begun', async () => {
  const ada = await signUp(world);
  await passVerification(ada);
  await until(
    () => status(ada),
    (kyc) => kyc.status === 'completed',
  );
  const { db, outbox } = world.service.app;
  const opening = byTable(db)
    .selectFrom('effects')
    .select('id')
    .where('user_id', '=', ada.userId)
    .where('type', '=', 'provisionAccounts')
    .where('status', '=', 'queued');
  const ended = async (): Promise<boolean> => (await opening.execute()).length === 0;
  await until(ended, (isEnded) => isEnded);
  const choosing = new Client({ connectionString: world.databaseUrl });
  await choosing.connect();
  try {
    await choosing.query('begin');
    await choosing.query('select from users where id = $1 for no key update', [ada.userId]);
    const kyc = required(await findKyc(db, { userId: ada.userId }), 'the verification');
    await transaction({ db, outbox }, (tx) =>
      enqueueEffect(tx, {
        subject: { kind: 'kyc', id: kyc.id, userId: ada.userId, seq: kyc.seq },
        effect: { type: 'provisionAccounts' },
        resource: null,
        now: new Date(),
      }),
    );
    await until(
      async () => (await waitingForLocks(world.databaseUrl)) > 0 || (await ended()),
      (hasRead) => hasRead,
    );
    await choosing.query(`update users set home_currency = 'GBP' where id = $1`, [ada.userId]);
    await choosing.query('commit');
  } finally {
    await choosing.end();
  }
  const { level } = await until(
    () => status(ada),
    ({ hasActiveAccount }) => hasActiveAccount,
  );
  expect(level).toBe('standard');
});

test('an account that the provider refuses to open is tried again', async () => {
  const { app } = world.service;
  const real = app.provider;
  app.provider = {
    ...real,
    createAccount: async () => {
      throw new ProviderRefusal('rejected', 'createAccount');
    },
  };
  const ada = await signUp(world);
  must(await ada.api.PATCH('/me', { body: { homeCurrency: 'GBP' } }));
  try {
    await passVerification(ada);
    await until(
      () =>
        byTable(app.db)
          .selectFrom('effects')
          .select('last_error')
          .where('user_id', '=', ada.userId)
          .where('type', '=', 'openAccount')
          .where('status', '=', 'queued')
          .execute(),
      (effects) => effects.some(({ last_error: error }) => error?.includes('refused with rejected')),
    );
  } finally {
    app.provider = real;
  }
  const { level } = await until(
    () => status(ada),
    ({ hasActiveAccount }) => hasActiveAccount,
  );
  expect(level).toBe('standard');
});

const tell = async (event: string, data: object, updated_at: string) => {
  const response = await fetch(`${world.url}/webhooks/provider/${world.webhookSecret}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ event, data, updated_at }),
  });
  expect(response.status).toBe(200);
};
/** The owner as the provider reports it once it has decided, shortly after the hosted page. */
const ownerOf = async ({ userId }: Person) => {
  const ours = await findOwner(world.service.app.db, { kycId: userId, userId });
  return until(
    () =>
      askUpstream<{ uuid: string; status: string; updated_at: string }>(
        world,
        `/accounts/owners/${ours?.providerRef}/`,
      ),
    (owner) => owner.status !== 'PENDING',
  );
};
const storedUnder = (kind: string, uuid: string, updatedAt: string) =>
  until(
    () =>
      byTable(world.service.app.db)
        .selectFrom('webhook_events')
        .select(['id', 'status', 'processed_at'])
        .where('identity', '=', sha256(`${kind}:${uuid}:${updatedAt}`))
        .executeTakeFirst(),
    (event) => event !== undefined && event.processed_at !== null,
  );

test('a callback about a verification is stored and ignored if no event name for it is configured', async () => {
  const ada = await signUp(world);
  await passVerification(ada);
  const { uuid, status: decided, updated_at: at } = await ownerOf(ada);
  await tell('owner.decided', { uuid, status: decided }, at);
  expect((await storedUnder('owner.decided', uuid, at))?.status).toBe('ignored');
});

test('a callback about a verification completes it as kyc.updated if its event name is configured', async () => {
  const { config } = world.service.app;
  world.service.app.config = { ...config, provider: { ...config.provider, kycEvent: 'owner.decided' } };
  const ada = await signUp(world);
  await passVerification(ada);
  const { uuid, status: decided, updated_at: at } = await ownerOf(ada);
  await tell('owner.decided', { uuid, status: decided }, at);
  const event = await storedUnder('kyc.updated', uuid, at);
  world.service.app.config = config;
  const completed = await byTable(world.service.app.db)
    .selectFrom('transitions')
    .select(['event', 'to_state', 'cause_kind', 'cause_id'])
    .where('subject_id', '=', ada.userId)
    .where('event', '<>', 'begun')
    .execute();
  expect(completed).toEqual([
    { event: 'kyc.completed', to_state: 'completed', cause_kind: 'webhook', cause_id: event?.id },
  ]);
});
