// The committed quotes of conversions. One user's quote stays as it is, even if the provider gave the same quote to another
// user.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { forgetQuote, releaseQuote } from '../../src/effects/committed-quotes.ts';
import { byTable } from '../support/by-table.ts';
import { useWorld } from '../support/use-world.ts';

const { world } = useWorld();

const [ada, bea] = [{ userId: randomUUID() }, { userId: randomUUID() }];

async function commitForBoth(): Promise<{ providerRef: string }> {
  const providerRef = randomUUID();
  const row = {
    provider_quote_id: providerRef,
    leg: 'leg2',
    life_ms: 60_000,
    created_at: new Date(),
  } as const;
  await byTable(world.service.app.db)
    .insertInto('conversion_quotes')
    .values([ada, bea].map(({ userId }) => ({ ...row, user_id: userId, payment_id: randomUUID() })))
    .execute();
  return { providerRef };
}

const committed = ({ providerRef }: { providerRef: string }) =>
  byTable(world.service.app.db)
    .selectFrom('conversion_quotes')
    .select(['user_id', 'is_consumed'])
    .where('provider_quote_id', '=', providerRef)
    .orderBy('is_consumed', 'desc')
    .execute();

test('a quote is deleted for the user whose request was refused, and for no other', async () => {
  const quote = await commitForBoth();
  await forgetQuote(world.service.app.db, ada, quote);
  expect(await committed(quote)).toEqual([{ user_id: bea.userId, is_consumed: false }]);
});

test('a quote is marked as consumed for the user whose request was answered with that, and for no other', async () => {
  const quote = await commitForBoth();
  await releaseQuote(world.service.app.db, ada, quote, 'quote_consumed');
  expect(await committed(quote)).toEqual([
    { user_id: ada.userId, is_consumed: true },
    { user_id: bea.userId, is_consumed: false },
  ]);
});
