// Receipts of completed payments: what the recipient may see, and when there is none.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { call } from '../support/http.ts';
import { markPersonal } from '../support/leak-watch.ts';
import { must, type Person, pay, quote, reaches, refusalIn, verified } from '../support/person.ts';
import { useWorld } from '../support/use-world.ts';

const { world, ada } = useWorld({
  deposit: '500.00',
  env: { PAYER_INSTITUTION: 'Banco do Atlântico' },
});

const JOANA = { pixKey: 'joana@pix.example', pixKeyType: 'email' } as const;
markPersonal({ payerName: 'Ada Silva', recipientName: 'Joana Lima' });

type Key = { pixKey: string; pixKeyType: 'cpf' | 'email' };
const receiptOf = ({ api }: Person, id: string) =>
  api.GET('/pix/payments/{id}/receipt', { params: { path: { id } } });

async function payLookedUp(person: Person, key: Key = JOANA): Promise<string> {
  const { lookupId } = must(await person.api.POST('/pix/recipients/lookup', { body: key }));
  return pay(person, await quote(person, 10), { ...key, lookupId });
}

test('a receipt has the names, the institutions and the masked key, and nothing that the payment cost', async () => {
  const id = await payLookedUp(ada);
  const { endToEndId } = await reaches(ada, id, 'completed');
  const receipt = must(await receiptOf(ada, id));
  expect(receipt).toEqual({
    amountBrl: '10.00',
    payerName: 'Ada Silva',
    payerInstitution: 'Banco do Atlântico',
    recipientName: 'Joana Lima',
    recipientInstitution: 'Banco Estrela',
    pixKeyMasked: 'j****@pix.example',
    pixKeyType: 'email',
    endToEndId,
    completedAt: expect.stringMatching(/Z$/),
    completedAtSaoPaulo: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}-03:00$/),
    returnedAmountBrl: null,
  });
  const { completedAt } = must(
    await ada.api.GET('/transactions/{id}', {
      params: { path: { id: (await reaches(ada, id, 'completed')).transactionId } },
    }),
  );
  expect(receipt.completedAt).toBe(completedAt);
  const seconds = Math.floor(Date.parse(receipt.completedAt) / 1_000) * 1_000;
  expect(Date.parse(receipt.completedAtSaoPaulo)).toBe(seconds);
});

test('the payer has the name of the identity check on a receipt, and not the display name', async () => {
  const id = await payLookedUp(ada);
  await reaches(ada, id, 'completed');
  must(await ada.api.PATCH('/me', { body: { displayName: 'Banco Central' } }));
  expect(must(await receiptOf(ada, id)).payerName).toBe('Ada Silva');
});

test('a receipt without a look-up does not show the name that the payer typed', async () => {
  const key = { pixKey: '529.982.247-25', pixKeyType: 'cpf', recipientName: 'Receita Federal' } as const;
  const id = await pay(ada, await quote(ada, 10), key);
  await reaches(ada, id, 'completed');
  expect(must(await receiptOf(ada, id))).toMatchObject({
    recipientName: null,
    recipientInstitution: null,
    pixKeyMasked: '***.982.247-**',
  });
});

test('a payment that has not been completed has no receipt', async () => {
  const id = await pay(ada, await quote(ada, 10), { pixKey: 'fail@pix.example', pixKeyType: 'email' });
  expect(refusalIn(await receiptOf(ada, id))).toEqual([409, 'payment_not_completed']);
  await reaches(ada, id, 'payout_failed');
  expect(refusalIn(await receiptOf(ada, id))).toEqual([409, 'payment_not_completed']);
});

test('a payment that the recipient’s bank has returned has no receipt', async () => {
  const id = await payLookedUp(ada, { pixKey: 'return@pix.example', pixKeyType: 'email' });
  await reaches(ada, id, 'manual_review');
  expect(refusalIn(await receiptOf(ada, id))).toEqual([409, 'payment_returned']);
});

test('the payment of another user and an unknown payment have no receipt', async () => {
  const id = await payLookedUp(ada);
  await reaches(ada, id, 'completed');
  const bea = await verified(world);
  const answers = [id, randomUUID()].map((one) =>
    call(world, 'GET', `/pix/payments/${one}/receipt`, { token: bea.token }),
  );
  for (const { status, body } of await Promise.all(answers))
    expect([status, body['code']]).toEqual([404, 'not_found']);
});
