// A user with a row in every table, with names and numbers that no other user has.
import { randomUUID } from 'node:crypto';
import { fillInHostedPage } from '../../harness/people/sandbox.ts';
import { newId } from '../../src/domain/ids.ts';
import { idsOf } from '../../src/privacy/user-ids.ts';
import type { PersonsIds } from '../../src/tables/personal-data-map.ts';
import { opsHere } from '../ops/support.ts';
import { byTable } from './by-table.ts';
import { codeOfCharge } from './codes.ts';
import { balanceOf, must, type Person, pay, quote, reaches, receiveDeposit, signUp } from './person.ts';
import { until } from './until.ts';
import type { World } from './world.ts';

export const vera = {
  subject: 'subject-of-vera-einzig',
  name: 'Vera from the door',
  email: 'vera@relay.example',
  fullName: 'Vera Einzig',
  realEmail: 'vera.einzig@home.example',
  pixKey: 'sobrinha.dela@pix.example',
  recipient: 'Sobrinha Dela',
  lookedUp: 'Davi Gomes',
  /** The holder of her account in euros, and the name that its bank suggests. */
  holderInEuros: 'Vera Close',
  suggested: 'Vera Lima',
  shopKey: 'prima.dela@pix.example',
  shop: 'Fernando Gomes',
  accountNumber: '73519246',
  iban: 'DE89370400440532013000',
  reference: 'Mesada da tia Otília',
  notes: 'My aunt in Porto has a right to know.',
  discrepancy: 'looked into for vera',
  contested: 'vera was deceived by a shop',
} as const;

export type WholePerson = { person: Person; ids: PersonsIds };

/** Makes the user in a world with the two-hop flow. At the end her balance is zero, and no work is in progress. */
export async function makeVera(world: World): Promise<WholePerson> {
  const { app } = world.service;
  const person = await signUp(world, {
    subject: vera.subject,
    name: vera.name,
    email: vera.email,
    emailVerified: true,
  });
  const { api, userId } = person;
  must(await api.PATCH('/me', { body: { homeCurrency: 'GBP' } }));
  await verify(person);
  await receiveDeposit(person, '500.00', vera.reference);

  const notes = { type: 'access', notes: vera.notes } as const;
  const headers = { 'Idempotency-Key': randomUUID() };
  must(await api.POST('/me/data-request', { body: notes, params: { header: headers } }));
  const holder = { accountHolderName: vera.fullName };
  const { accountNumber, iban } = vera;
  must(
    await api.POST('/bank-details', {
      body: { currency: 'GBP', ...holder, accountNumber, sortCode: '12-34-56' },
    }),
  );
  const inEuros = {
    currency: 'EUR',
    accountHolderName: vera.holderInEuros,
    iban,
    bic: 'COBADEFFXXX',
  } as const;
  must(await api.POST('/bank-details', { body: inEuros }));
  await checkName(person);
  must(await api.GET('/bank-details', { params: { query: { reveal: true } } }));

  const to = { pixKey: vera.pixKey, pixKeyType: 'email', recipientName: vera.recipient } as const;
  const contested = await pay(person, await quote(person, 250), to);
  await reaches(person, contested, 'completed');
  await contestAndConvert(person, world, contested);
  await failAndRetry(person);
  await payCode(person);
  must(await api.GET('/pix/recipients'));
  await quote(person, 33);
  await withdrawAll(person);
  await contradict(world, userId);
  await until(
    async () =>
      (
        await byTable(app.db)
          .selectFrom('webhook_events')
          .select('id')
          .where('processed_at', 'is', null)
          .execute()
      ).length,
    (count) => count === 0,
  );
  return { person, ids: await idsOf(app.db, userId) };
}

async function verify({ ponte, world, userId }: Person): Promise<void> {
  const { verificationUrl } = await ponte.startVerification();
  const { fullName, realEmail: email } = vera;
  await fillInHostedPage(world, verificationUrl ?? '', { fullName, email });
  await ponte.verification();
  await until(
    () =>
      byTable(world.service.app.db)
        .selectFrom('provider_accounts')
        .select('state')
        .where('user_id', '=', userId)
        .execute(),
    (accounts) => accounts.length === 3 && accounts.every(({ state }) => state === 'active'),
    30_000,
  );
  await ponte.verification();
}

/** Contests a payment. The part that comes back is converted, so that no money waits. */
async function contestAndConvert({ api, userId }: Person, world: World, id: string): Promise<void> {
  const body = { reason: 'scam', description: vera.contested } as const;
  must(await api.POST('/pix/payments/{id}/contestation', { params: { path: { id } }, body }));
  const refunds = () =>
    byTable(world.service.app.db)
      .selectFrom('payout_refunds')
      .selectAll()
      .where('user_id', '=', userId)
      .execute();
  const [refund] = await until(refunds, ({ length }) => length > 0);
  const part = ['--partial', refund?.movement_ref ?? ''];
  const { code } = await opsHere(world.service.app, [
    'payments',
    'return',
    id,
    ...part,
    '--reason',
    'a test',
  ]);
  if (code !== 0) throw new Error('the part that came back was not converted');
  await until(refunds, ([row]) => row?.state === 'converted');
}

/** Makes a payment to a recipient that was looked up fail and retries it, so that text from the provider is stored. */
async function failAndRetry(person: Person): Promise<void> {
  const key = { pixKey: 'recover@pix.example', pixKeyType: 'email' } as const;
  const { lookupId, recipientName } = await person.ponte.lookUpRecipient(key);
  if (recipientName !== vera.lookedUp) throw new Error(`the owner of the key is ${recipientName}`);
  const id = await pay(person, await quote(person, 20), { ...key, lookupId });
  await reaches(person, id, 'payout_failed');
  must(await person.api.POST('/pix/payments/{id}/retry', { params: { path: { id } } }));
  await reaches(person, id, 'completed');
}

/** Checks the name on the account in euros, so that the name that its bank suggests is stored. */
async function checkName({ ponte }: Person): Promise<void> {
  const { suggestedName } = await ponte.checkBankDetails({ currency: 'EUR' });
  if (suggestedName !== vera.suggested) throw new Error(`the bank suggests ${suggestedName}`);
}

/** Pays a code, whose recipient only the provider names. */
async function payCode(person: Person): Promise<void> {
  const code = await codeOfCharge(person.world, { amount: '15.00', pixKey: vera.shopKey });
  const { codeId, recipientName } = await person.ponte.readCode({ code });
  if (recipientName !== vera.shop) throw new Error(`the code pays ${recipientName}`);
  const key = { pixKey: vera.shopKey, pixKeyType: 'email' } as const;
  await reaches(person, await pay(person, await quote(person, 15), { ...key, codeId }), 'completed');
}

async function withdrawAll(person: Person): Promise<void> {
  const amount = (await balanceOf(person)) ?? 0;
  const { id } = must(await person.api.POST('/withdraws', { body: { amount } }));
  await until(
    async () => must(await person.api.GET('/transactions/{id}', { params: { path: { id } } })),
    ({ status }) => status === 'completed',
  );
}

async function contradict({ service }: World, userId: string): Promise<void> {
  const { db } = service.app;
  const { id } = await byTable(db)
    .selectFrom('pix_payments')
    .select('id')
    .where('user_id', '=', userId)
    .limit(1)
    .executeTakeFirstOrThrow();
  await byTable(db)
    .insertInto('discrepancies')
    .values({
      id: newId(),
      user_id: userId,
      subject_kind: 'pix_payment',
      subject_id: id,
      handle: randomUUID(),
      kind: 'contradicted_state',
      fingerprint: 'x',
      event: 'off-ramp.failed',
      event_data: { attempt: 1 },
      state: 'completed',
      snapshot_updated_at: new Date(),
      cause_kind: 'job',
      cause_id: 'test',
      occurred_at: new Date(),
      resolved_at: new Date(),
      resolution: vera.discrepancy,
    })
    .execute();
}
