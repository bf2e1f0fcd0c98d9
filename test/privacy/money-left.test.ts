// The USDC that conversions left over is the service's margin. Every other balance is the user's money.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { holdsMoney } from '../../src/privacy/money-left.ts';
import { byTable } from '../support/by-table.ts';
import { type Person, pay, quote, reaches, verified } from '../support/person.ts';
import { startWorld, type World } from '../support/world.ts';

const RESIDUE_MINOR = 1_500_000;

let world: World;
let ada: Person;
beforeAll(async () => {
  world = await startWorld({ env: { USDC_ACCOUNTS_ENABLED: 'true' } });
  ada = await verified(world, { deposit: '50.00' });
  const id = await pay(ada, await quote(ada, 20));
  await reaches(ada, id, 'completed');
  await byTable(world.service.app.db)
    .updateTable('pix_payments')
    .set({ usdc_residual_minor: RESIDUE_MINOR })
    .where('id', '=', id)
    .execute();
});
afterAll(() => world.stop());

test.each([
  ['nothing in any account', {}, false],
  ['the residue in the USDC account', { USDC: RESIDUE_MINOR }, false],
  ['more than the residue in the USDC account', { USDC: RESIDUE_MINOR + 1 }, true],
  ['less than the residue in the home account', { GBP: RESIDUE_MINOR - 1 }, true],
  ['one centavo in the BRL account', { BRL: 1 }, true],
])('a user with %s holds money: %o', async (_what, balances: Record<string, number>, holds) => {
  const { app } = world.service;
  const { provider } = app;
  const accounts = await byTable(app.db)
    .selectFrom('provider_accounts')
    .select(['currency', 'provider_account_id as ref'])
    .where('user_id', '=', ada.userId)
    .execute();
  const currencyOf = new Map(accounts.map(({ currency, ref }) => [ref, currency]));
  const getAccount = async (ref: string) => ({
    ...(await provider.getAccount(ref)),
    balanceMinor: balances[currencyOf.get(ref) ?? ''] ?? 0,
  });
  expect(await holdsMoney({ ...app, provider: { ...provider, getAccount } }, ada.userId)).toBe(holds);
});
