// The balance that users see is cached for some seconds, but never across a movement of money.
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { handleFor } from '../../src/domain/handles.ts';
import type { Provider } from '../../src/provider/port.ts';
import { applyReported } from '../../src/reports/apply-reported.ts';
import { byTable } from '../support/by-table.ts';
import { waitingForLocks } from '../support/locks.ts';
import { balanceOf, type Person, pay, quote, reaches, receiveDeposit, verified } from '../support/person.ts';
import { withdrawTo } from '../support/unannounced.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';

let ada: Person;
const { world, provider } = useWorld({ env: { USDC_ACCOUNTS_ENABLED: 'true' } });
beforeEach(async () => {
  ada = await verified(world, { deposit: '500.00' });
});

test('a balance is not cached when money has moved since it was requested', async () => {
  const requested = Promise.withResolvers<void>();
  const deposited = Promise.withResolvers<void>();
  const getAccount: Provider['getAccount'] = async (ref) => {
    world.service.app.provider = provider;
    const account = await provider.getAccount(ref);
    requested.resolve();
    await deposited.promise;
    return account;
  };
  world.service.app.provider = { ...provider, getAccount };
  const slow = balanceOf(ada);
  await requested.promise;
  await receiveDeposit(ada, '10.00');
  deposited.resolve();
  expect([await slow, await balanceOf(ada)]).toEqual([50_000, 51_000]);
});

test('the balance is read again when the money of a payment has come back', async () => {
  const seen = Promise.withResolvers<void>();
  const createQuote: Provider['createQuote'] = async (request) => {
    if (request.destinationCurrency === 'GBP') await seen.promise;
    return provider.createQuote(request);
  };
  world.service.app.provider = { ...provider, createQuote };
  // The sandbox refuses the second conversion of this amount.
  const quoted = await quote(ada, 3.33);
  const id = await pay(ada, quoted);
  await reaches(ada, id, 'refunding');
  expect(await balanceOf(ada)).toBe(50_000 - quoted.sourceAmount);
  seen.resolve();
  await reaches(ada, id, 'refunded');
  expect(await balanceOf(ada)).toBe(50_000);
});

test('the balance is read again when a withdrawal whose money had come back is paid after all', async () => {
  // The sandbox fails this amount and returns it.
  const id = await withdrawTo(ada, 1_313, 'failed');
  expect(await balanceOf(ada)).toBe(50_000);
  const failed = await provider.findPayout(handleFor(id, 'withdraw'));
  if (!failed) throw new Error('no payout');
  const getAccount: Provider['getAccount'] = async (ref) => ({
    ...(await provider.getAccount(ref)),
    balanceMinor: 50_000 - 1_313,
  });
  world.service.app.provider = { ...provider, getAccount };
  const paid = {
    ...failed,
    status: 'completed',
    updatedAt: new Date(failed.updatedAt.getTime() + 1),
  } as const;
  await applyReported(world.service.app, paid, { kind: 'job', id: 'paid-after-all' });
  expect(await balanceOf(ada)).toBe(50_000 - 1_313);
});

test('a cached balance is shown only if it was read with its age', async () => {
  const { db } = world.service.app;
  const setBalance = (amountMinor: number, readAt: 'now' | 'never') =>
    byTable(db)
      .updateTable('users')
      .set({ balance_minor: amountMinor, balance_read_at: readAt === 'now' ? sql`now()` : null })
      .where('id', '=', ada.userId)
      .execute();
  await setBalance(1, 'never');
  // The request reads the user's row, and waits for the lock before it reads the age of the cached balance.
  const shown = await db.transaction().execute(async (tx) => {
    await sql`lock table provider_accounts in access exclusive mode`.execute(tx);
    const balance = balanceOf(ada);
    await until(
      () => waitingForLocks(world.databaseUrl),
      (waiting) => waiting === 1,
    );
    await setBalance(2, 'now');
    return { asked: balance };
  });
  expect(await shown.asked).toBe(2);
});
