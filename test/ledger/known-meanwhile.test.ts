// A debit becomes known while the balance is read. The balance may be older than the debit, so the debit counts as reserved.
import { expect, test } from 'vitest';
import { must, pay, quote, reaches, refusalIn, verified } from '../support/person.ts';
import { useWorld } from '../support/use-world.ts';

const { world } = useWorld();

test('a payment is refused when another one took the money while its balance was read', async () => {
  const bea = await verified(world, { deposit: '100.00' });
  const [first, second] = [await quote(bea, 450), await quote(bea, 451)];
  expect(first.sourceAmount + second.sourceAmount).toBeGreaterThan(10_000);
  const { app } = world.service;
  const { provider } = app;
  let hasPaid = false;
  app.provider = {
    ...provider,
    getAccount: async (ref) => {
      const before = await provider.getAccount(ref);
      if (hasPaid) return before;
      hasPaid = true;
      app.provider = provider;
      await reaches(bea, await pay(bea, first), 'completed');
      return before;
    },
  };
  const body = { quoteId: second.quoteId, pixKey: '52998224725', pixKeyType: 'cpf' } as const;
  expect(refusalIn(await bea.api.POST('/pix/payments', { body }))).toEqual([422, 'insufficient_funds']);
  expect(must(await bea.api.GET('/pix/payments', {}))).toHaveLength(1);
});
