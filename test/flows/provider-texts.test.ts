// The provider sends texts that PostgreSQL does not accept. A payment that was made is completed anyway.
import { expect, test } from 'vitest';
import { must, pay, quote, reaches } from '../support/person.ts';
import { useWorld } from '../support/use-world.ts';

const { proxy, ada } = useWorld({ proxy: true, deposit: '100.00' });

test.for([
  ['U+0000', 'E123\u0000456', 'E123456'],
  ['a lone surrogate', 'E123\ud800456', 'E123\ufffd456'],
  ['more characters than an index takes', 'E'.repeat(5_000), 'E'.repeat(500)],
])('a payment whose receipt has %s is completed', async ([_what, told, kept]) => {
  const receipts = proxy.lie({
    change: (truth) => ('voucher_id' in truth ? { ...truth, end_to_end_id: told, voucher_id: told } : truth),
  });
  const id = await pay(ada, await quote(ada, 10));
  await reaches(ada, id, 'completed');
  receipts.heal();
  const payment = must(await ada.api.GET('/pix/payments/{id}', { params: { path: { id } } }));
  expect(payment.endToEndId).toBe(kept);
});
