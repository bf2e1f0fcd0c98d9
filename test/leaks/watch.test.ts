// Every test file fails if something leaks in it. This test plants a leak of each kind, and each is detected.
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/domain/ids.ts';
import { dataKeyContext } from '../../src/security/data-keys.ts';
import { openWith } from '../../src/security/envelope.ts';
import type { Db } from '../../src/tables/orm.ts';
import { byTable } from '../support/by-table.ts';
import { call } from '../support/http.ts';
import { must, type Person, signUp } from '../support/person.ts';
import { startWorld, type World } from '../support/world.ts';

const email = 'ada.marinho@example.com';
const bank = {
  currency: 'GBP',
  accountHolderName: 'Ada Lua Marinho',
  accountNumber: '31926819',
  sortCode: '60-16-13',
} as const;

let leaky: World;

beforeAll(async () => {
  leaky = await startWorld();
});

test('a leak of any kind fails the file in which it happens', async () => {
  const ada = await signUp(leaky, { email });
  must(await ada.api.POST('/bank-details', { body: bank }));
  const planted = await plantIn(leaky, ada);
  const found = await leaky.stop().then(
    () => 'nothing',
    (error: Error) => error.message,
  );
  expect(found.split('\n  ').toSorted()).toEqual(['Leaked:', ...planted].toSorted());
});

/**
 * Plants the leaks.
 * @returns the reports that must follow.
 */
async function plantIn(world: World, ada: Person): Promise<string[]> {
  const { app } = world.service;
  const { db, log, metrics } = app;
  const { SESSION_SECRET: sessionSecret = '', WEBHOOK_SECRET: webhookSecret = '' } = world.env;
  const [, claims = '', signature = ''] = ada.token.split('.');
  const masterKey = app.config.masterKeys[0]?.key ?? Buffer.alloc(0);
  const dataKey = await dataKeyOf(ada, masterKey);

  const code = 'outbox.unrecorded';
  log.debug({ code, said: ada.token }, 'planted');
  log.error({ code, error: new Error('planted', { cause: new Error(bank.accountHolderName) }) }, 'planted');
  log.info({ code }, `/webhooks/provider/${webhookSecret}`);
  metrics.requested(sessionSecret, 200, 0);
  await call(world, 'PATCH', '/me', { token: ada.token, json: { [bank.accountHolderName]: true } });
  await plantInWork(db);
  await byTable(db).updateTable('users').set({ auth_subject: email }).execute();
  await byTable(db)
    .insertInto('job_runs')
    .values({
      job: 'planted',
      run: masterKey.toString('base64'),
      position: { key: dataKey.toString('hex') },
      counts: {},
      started_at: new Date(),
      updated_at: new Date(),
    })
    .execute();
  return [
    `the log: a token, verbatim: ${claims}`,
    `the log: a token, verbatim: ${signature}`,
    `the log: a name, verbatim: ${bank.accountHolderName}`,
    `the log: a secret, verbatim: ${webhookSecret}`,
    `the metrics: a secret, verbatim: ${sessionSecret}`,
    `an error: a name, verbatim: ${bank.accountHolderName}`,
    `effects.params: an e-mail address, in an address: ${email}`,
    `heard.effects.row: an e-mail address, in an address: ${email}`,
    `heard.effects.row: an account number, verbatim: ${bank.accountNumber}`,
    `webhook_events.outcome: a name, verbatim: ${bank.accountHolderName}`,
    `users.auth_subject: an e-mail address, verbatim: ${email}`,
    `job_runs.run: a key, verbatim: ${masterKey.toString('base64')}`,
    `job_runs.position: a key, verbatim: ${dataKey.toString('hex')}`,
  ];
}

/** Plants leaks in the parameters of an effect, in an error that is overwritten, and in the outcome of a callback. */
async function plantInWork(db: Db): Promise<void> {
  const params = JSON.stringify({ address: `/?to=${encodeURIComponent(email)}` });
  await byTable(db)
    .updateTable('effects')
    .set({ params: sql`${params}::jsonb`, last_error: `no ${bank.accountNumber}` })
    .execute();
  await byTable(db).updateTable('effects').set({ last_error: null }).execute();
  const now = new Date();
  await byTable(db)
    .insertInto('webhook_events')
    .values({
      id: newId(),
      provider: 'sandbox',
      identity: Buffer.from('planted'),
      event_type: 'planted',
      payload_sealed: Buffer.alloc(0),
      status: 'unmatched',
      outcome: `not of ${bank.accountHolderName}`,
      received_at: now,
      processed_at: now,
    })
    .execute();
}

async function dataKeyOf({ world, userId }: Person, masterKey: Buffer): Promise<Buffer> {
  const { wrapped_key: wrapped } = await byTable(world.service.app.db)
    .selectFrom('data_keys')
    .select('wrapped_key')
    .where('scope', '=', userId)
    .executeTakeFirstOrThrow();
  return openWith(masterKey, dataKeyContext(userId), wrapped);
}
