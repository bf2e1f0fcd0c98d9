// Whom a user has paid: the list, its pages, the removal of a recipient, and payments of before the list existed.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { recipientIdOf } from '../../src/payments/recipients/note.ts';
import { encryptionContexts } from '../../src/security/encryption-contexts.ts';
import { WITHOUT_RECIPIENT_PAGE } from '../../src/tables/pix-payments/statements.ts';
import { byTable } from '../support/by-table.ts';
import { call } from '../support/http.ts';
import { markPersonal } from '../support/leak-watch.ts';
import { must, type Person, pay, quote, reaches, verified } from '../support/person.ts';
import { useWorld } from '../support/use-world.ts';

const { world, db } = useWorld();

const JOANA = { pixKey: 'joana@pix.example', pixKeyType: 'email' } as const;
const PADARIA = { pixKey: 'padaria@pix.example', pixKeyType: 'email' } as const;
markPersonal({ recipientName: 'Joana Lima', typed: 'Tia Joana' });

type To = { pixKey: string; pixKeyType: 'cpf' | 'email' | 'evp'; recipientName?: string; lookupId?: string };

const rich = () => verified(world, { deposit: '500.00' });
const listOf = async ({ api }: Person) => must(await api.GET('/pix/recipients'));
const keysOf = async (person: Person) => (await listOf(person)).map(({ pixKey }) => pixKey);
const remove = (person: Person, id: string) =>
  call(world, 'DELETE', `/pix/recipients/${id}`, { token: person.token });

async function paid(person: Person, to: To): Promise<string> {
  const id = await pay(person, await quote(person, 5), to);
  await reaches(person, id, 'completed');
  return id;
}

async function paidLookedUp(person: Person, key: To): Promise<string> {
  const { lookupId } = must(await person.api.POST('/pix/recipients/lookup', { body: key }));
  return paid(person, { ...key, lookupId });
}

/** Makes a payment one of an earlier version: it names no recipient, and no list has it. */
async function forget({ userId }: Person): Promise<void> {
  await sql`update pix_payments set recipient_id = null where user_id = ${userId}`.execute(db());
  await sql`delete from pix_recipients where user_id = ${userId}`.execute(db());
}

test('a recipient is listed as soon as a payment is completed, with the name that the payer saw', async () => {
  const ada = await rich();
  expect(await listOf(ada)).toEqual([]);
  const id = await paidLookedUp(ada, JOANA);
  const { completedAt } = must(await ada.api.GET('/pix/payments/{id}/receipt', { params: { path: { id } } }));
  expect(await listOf(ada)).toEqual([
    {
      id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-5/),
      recipientName: 'Joana Lima',
      ...JOANA,
      lastPaidAt: completedAt,
    },
  ]);
});

test('payments to one key are one recipient, in the order of the last payments', async () => {
  const ada = await rich();
  await paid(ada, JOANA);
  await paid(ada, PADARIA);
  const [padaria, joana] = await listOf(ada);
  expect([padaria?.pixKey, joana?.pixKey]).toEqual([PADARIA.pixKey, JOANA.pixKey]);
  await paid(ada, { ...JOANA, pixKey: ' Joana@PIX.example' });
  const list = await listOf(ada);
  expect(list.map(({ id }) => id)).toEqual([joana?.id, padaria?.id]);
  expect(Date.parse(list[0]?.lastPaidAt ?? '')).toBeGreaterThan(Date.parse(joana?.lastPaidAt ?? ''));
});

test('a recipient has the last name, which a payment without a name does not remove', async () => {
  const ada = await rich();
  const nameOf = async () => (await listOf(ada)).map(({ recipientName }) => recipientName);
  await paid(ada, JOANA);
  expect(await nameOf()).toEqual([null]);
  await paid(ada, { ...JOANA, recipientName: 'Tia Joana' });
  expect(await nameOf()).toEqual(['Tia Joana']);
  await paid(ada, JOANA);
  expect(await nameOf()).toEqual(['Tia Joana']);
  await paidLookedUp(ada, JOANA);
  await paid(ada, JOANA);
  expect(await nameOf()).toEqual(['Joana Lima']);
});

test('a payment that did not reach its recipient lists nobody', async () => {
  const ada = await rich();
  const id = await pay(ada, await quote(ada, 5), { pixKey: 'fail@pix.example', pixKeyType: 'email' });
  await reaches(ada, id, 'payout_failed');
  expect(await listOf(ada)).toEqual([]);
});

test('a removed recipient stays away until a later payment brings it back, under the same id', async () => {
  const ada = await rich();
  await paid(ada, PADARIA);
  await paid(ada, JOANA);
  const [joana] = await listOf(ada);
  const id = joana?.id ?? '';
  const { status, text, headers } = await remove(ada, id);
  expect([status, text, headers.get('content-type'), headers.get('cache-control')]).toEqual([
    204,
    '',
    null,
    'no-store',
  ]);
  expect(await keysOf(ada)).toEqual([PADARIA.pixKey]);
  expect(await keysOf(ada)).toEqual([PADARIA.pixKey]);
  await paid(ada, JOANA);
  expect((await listOf(ada))[0]).toMatchObject({ id, ...JOANA });
  // The payments were never removed.
  expect(must(await ada.api.GET('/pix/payments'))).toHaveLength(3);
});

test('a payment that was completed before a removal does not bring the recipient back', async () => {
  const ada = await rich();
  await paid(ada, JOANA);
  const [joana] = await listOf(ada);
  await paid(ada, JOANA);
  expect((await remove(ada, joana?.id ?? '')).status).toBe(204);
  expect(await listOf(ada)).toEqual([]);
});

test('an unknown, a removed and another user’s recipient are 404, and stay as they are', async () => {
  const [ada, bea] = [await rich(), await rich()];
  await paid(ada, JOANA);
  await paid(bea, JOANA);
  const [hers] = await listOf(ada);
  const [others] = await listOf(bea);
  // The same key has another id for another user, so ids do not tell who pays the same recipient.
  expect(hers?.id).not.toBe(others?.id);
  for (const id of [randomUUID(), others?.id ?? '']) {
    const { status, body } = await remove(ada, id);
    expect([status, body['code']]).toEqual([404, 'not_found']);
  }
  expect(await keysOf(bea)).toEqual([JOANA.pixKey]);
  expect((await remove(ada, hers?.id ?? '')).status).toBe(204);
  expect((await remove(ada, hers?.id ?? '')).status).toBe(404);
});

test('payments of an earlier version are listed, and each is read once', async () => {
  const ada = await rich();
  await paid(ada, PADARIA);
  const named = await paidLookedUp(ada, JOANA);
  await paid(ada, JOANA);
  const before = await listOf(ada);
  await forget(ada);
  expect(await listOf(ada)).toEqual(before);
  const [row] = await byTable(db())
    .selectFrom('pix_recipients')
    .selectAll()
    .where('id', '=', before[0]?.id ?? '')
    .execute();
  expect(row?.named_payment_id).toBe(named);
  const unread = await byTable(db())
    .selectFrom('pix_payments')
    .select('id')
    .where('user_id', '=', ada.userId)
    .where('recipient_id', 'is', null)
    .execute();
  expect(unread).toEqual([]);
});

test('concurrent reads of earlier payments list each recipient once', async () => {
  const ada = await rich();
  for (const to of [JOANA, PADARIA, JOANA]) await paid(ada, to);
  const before = await listOf(ada);
  await forget(ada);
  const lists = await Promise.all(Array.from({ length: 6 }, () => listOf(ada)));
  expect(await listOf(ada)).toEqual(before);
  expect(lists.at(-1)).toEqual(before);
});

test('more earlier payments than one statement reads are all listed', async () => {
  const ada = await rich();
  const id = await paid(ada, JOANA);
  const count = WITHOUT_RECIPIENT_PAGE + 5;
  await copyPayment(ada, id, count);
  await forget(ada);
  const together = must(await ada.api.GET('/pix/recipients', { params: { query: { limit: 1_000 } } }));
  // Pages of recipients follow each other without a gap.
  const keys: string[] = [];
  for await (const { pixKey } of ada.ponte.recipients({ pageSize: 50 })) keys.push(pixKey);
  expect(together.map(({ pixKey }) => pixKey)).toEqual(keys);
  expect(keys).toHaveLength(count + 1);
  expect(new Set(keys).size).toBe(count + 1);
  expect(keys.at(-1)).toBe(JOANA.pixKey);
});

/** Copies a completed payment, each copy to a key of its own and completed a second after the one before. */
async function copyPayment({ userId }: Person, id: string, copies: number): Promise<void> {
  const { sealer } = world.service.app;
  for (let copy = 1; copy <= copies; copy += 1) {
    const [paymentId, quoteId, transactionId] = [randomUUID(), randomUUID(), randomUUID()];
    const key = await sealer.seal(encryptionContexts.pixKey(userId, paymentId), randomUUID());
    const copied = (table: 'pix_quotes' | 'transactions' | 'pix_payments', changes: object) => sql`
      insert into ${sql.table(table)}
      select changed.* from ${sql.table(table)} own, jsonb_populate_record(own, ${JSON.stringify(changes)}::jsonb) changed
      where own.user_id = ${userId}
        and own.id = (select ${sql.ref(idIn[table])} from pix_payments where id = ${id} and user_id = ${userId})`;
    await copied('pix_quotes', { id: quoteId }).execute(db());
    await copied('transactions', { id: transactionId, provider_ref: null }).execute(db());
    await copied('pix_payments', {
      id: paymentId,
      quote_id: quoteId,
      transaction_id: transactionId,
      pix_key_type: 'evp',
      pix_key_sealed: `\\x${key.toString('hex')}`,
      recipient_name_sealed: null,
      state_entered_at: new Date(Date.now() + copy * 1_000).toISOString(),
    }).execute(db());
  }
}

const idIn = { pix_quotes: 'quote_id', transactions: 'transaction_id', pix_payments: 'id' } as const;

test('the list of a closed account is deleted, and nothing brings it back', async () => {
  const ada = await rich();
  await paid(ada, JOANA);
  await listOf(ada);
  await paid(ada, PADARIA);
  must(await ada.api.DELETE('/me'));
  const { status, body } = await call(world, 'GET', '/pix/recipients', { token: ada.token });
  expect([status, body['code']]).toEqual([403, 'account_closed']);
  const rows = await byTable(db())
    .selectFrom('pix_recipients')
    .select('id')
    .where('user_id', '=', ada.userId)
    .execute();
  expect(rows).toEqual([]);
});

test('the id of a recipient needs the data key of the user', async () => {
  const ada = await rich();
  await paid(ada, JOANA);
  const { sealer } = world.service.app;
  const [joana] = await listOf(ada);
  expect(joana?.id).toBe(await recipientIdOf(sealer, ada.userId, JOANA));
  const otherType = await recipientIdOf(sealer, ada.userId, { ...JOANA, pixKeyType: 'evp' });
  const otherKey = await recipientIdOf(sealer, ada.userId, PADARIA);
  const otherUser = await recipientIdOf(sealer, (await rich()).userId, JOANA);
  expect(new Set([joana?.id, otherType, otherKey, otherUser]).size).toBe(4);
});
