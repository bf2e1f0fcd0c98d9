// An app asks for the account to be closed unless money is left in it. Without that request, closing works as ever.
import { expect, test, vi } from 'vitest';
import { handleFor } from '../../src/domain/handles.ts';
import { opsHere } from '../ops/support.ts';
import { byTable } from '../support/by-table.ts';
import {
  balanceOf,
  must,
  type Person,
  pay,
  postJson,
  quote,
  reaches,
  refusalIn,
  signUp,
  verified,
  withdraw,
} from '../support/person.ts';
import { until } from '../support/until.ts';
import { movementsOf } from '../support/upstream.ts';
import { useWorld } from '../support/use-world.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const { world, proxy } = useWorld({ proxy: true });

const ask = { params: { query: { unlessMoneyIsLeft: true } } };
const close = ({ api }: Person, query: { params?: typeof ask.params } = ask) => api.DELETE('/me', query);
const isClosed = async ({ userId }: Person) =>
  (
    await byTable(world.service.app.db)
      .selectFrom('users')
      .select('closed_at')
      .where('id', '=', userId)
      .executeTakeFirstOrThrow()
  ).closed_at !== null;
const holdsMoney = [409, 'account_holds_money'];

/** Takes the rest of the balance out, so that only what the test is about is left. */
async function emptied(person: Person): Promise<string> {
  const id = await withdraw(person, (await balanceOf(person)) ?? 0);
  await until(
    async () => must(await person.api.GET('/transactions/{id}', { params: { path: { id } } })).status,
    (status) => status === 'completed',
  );
  return id;
}

test('an account with a balance stays open if the app asks, and closes if it does not', async () => {
  const ada = await verified(world, { deposit: '10.00' });
  expect(refusalIn(await close(ada))).toEqual(holdsMoney);
  expect(await isClosed(ada)).toBe(false);
  expect(refusalIn(await close(ada))).toEqual(holdsMoney);
  must(await close(ada, {}));
  expect(await isClosed(ada)).toBe(true);
  expect((await close(ada)).response.status).toBe(200);
});

test('an account without money closes, also one that was never verified', async () => {
  for (const person of [await signUp(world), await verified(world)]) {
    must(await close(person));
    expect(await isClosed(person)).toBe(true);
  }
});

test('an account with a failed payout stays open, and closes after its money was returned and withdrawn', async () => {
  const ada = await verified(world, { deposit: '100.00' });
  const id = await pay(ada, await quote(ada, 50), { pixKey: 'unknown@pix.example', pixKeyType: 'email' });
  await reaches(ada, id, 'payout_failed');
  await emptied(ada);
  expect(refusalIn(await close(ada))).toEqual(holdsMoney);
  const back = ['payments', 'return', id, '--reason', 'a test', '--subsidy-cap-bps', '200'];
  const returned = await world.clock.later(25 * 60 * 60_000, () => opsHere(world.service.app, back));
  expect(returned).toMatchObject({ code: 0, err: '' });
  await reaches(ada, id, 'refunded');
  expect(refusalIn(await close(ada))).toEqual(holdsMoney);
  await emptied(ada);
  must(await close(ada));
});

test('an account with a payment in manual_review that nobody has settled stays open', async () => {
  const ada = await verified(world, { deposit: '100.00' });
  const id = await pay(ada, await quote(ada, 20), { pixKey: 'return@pix.example', pixKeyType: 'email' });
  await reaches(ada, id, 'manual_review');
  await emptied(ada);
  expect(refusalIn(await close(ada))).toEqual(holdsMoney);
  must(await close(ada, {}));
  const listed = await opsHere(world.service.app, ['accounts', 'closed-with-money']);
  expect(listed.out).toMatch(new RegExp(`^${ada.userId} .*${id}$`, 'm'));
});

test('an account into which money comes back while its balances are read stays open', async () => {
  const ada = await verified(world, { deposit: '50.00' });
  const { app } = world.service;
  const { provider } = app;
  const id = await emptied(ada);
  const payout = await provider.findPayout(handleFor(id, 'withdraw'));
  let isBack = false;
  app.provider = {
    ...provider,
    getAccount: async (ref) => {
      const account = await provider.getAccount(ref);
      if (!isBack) {
        isBack = true;
        await postJson(`${world.sandboxUrl}/sandbox/payouts/${payout?.providerRef}/refund`, {});
        await until(
          async () => must(await ada.api.GET('/transactions/{id}', { params: { path: { id } } })).status,
          (status) => status === 'failed',
        );
      }
      return account;
    },
  };
  expect(refusalIn(await close(ada))).toEqual(holdsMoney);
  app.provider = provider;
  expect(await isClosed(ada)).toBe(false);
  expect(await balanceOf(ada)).toBe(5_000);
});

test.each([
  ['whose payout came back', 20, 'return@pix.example'],
  ['whose conversion delivered too little', 8.88, 'a@pix.example'],
] as const)(
  'an account with a payment %s closes once that was settled, although its BRL is still there',
  async (_what, amountBrl, pixKey) => {
    const ada = await verified(world, { deposit: '100.00' });
    const id = await pay(ada, await quote(ada, amountBrl), { pixKey, pixKeyType: 'email' });
    await reaches(ada, id, 'manual_review');
    await emptied(ada);
    expect(refusalIn(await close(ada))).toEqual(holdsMoney);
    await settled(id);
    must(await close(ada));
    expect(await movementsOf(ada, 'BRL')).toContainEqual(expect.stringMatching(/^CREDIT INTERNAL_TRANSFER/));
    const listed = await opsHere(world.service.app, ['accounts', 'closed-with-money']);
    expect(listed.out).not.toContain(ada.userId);
  },
);

test('an account with a settled payment stays open while its payout could have taken the BRL', async () => {
  const ada = await verified(world, { deposit: '100.00' });
  const { app } = world.service;
  const { provider } = app;
  const id = await pay(ada, await quote(ada, 20), { pixKey: 'return@pix.example', pixKeyType: 'email' });
  await reaches(ada, id, 'manual_review');
  await emptied(ada);
  await settled(id);
  app.provider = {
    ...provider,
    findPayout: async (handle) => {
      const payout = await provider.findPayout(handle);
      return payout && { ...payout, status: 'completed' };
    },
  };
  expect(refusalIn(await close(ada))).toEqual(holdsMoney);
  must(await close(ada, {}));
  const listed = await opsHere(app, ['accounts', 'closed-with-money']);
  expect(listed.out).toMatch(new RegExp(`^${ada.userId} .*BRL 20\\.00$`, 'm'));
  app.provider = provider;
});

async function settled(id: string): Promise<void> {
  for (const operator of ['olga', 'otto']) {
    const figures = ['--amount', '1.00', '--currency', 'GBP', '--reference', 'FPS 4711'];
    const args = ['payments', 'settle', id, ...figures, '--operator', operator, '--reason', 'a test'];
    expect(await opsHere(world.service.app, args)).toMatchObject({ code: 0, err: '' });
  }
}

test('an account whose balance cannot be read stays open, with 502', async () => {
  const ada = await verified(world, { deposit: '10.00' });
  const { heal } = proxy.spoil({
    operation: 'getAccount',
    spoilt: { status: 503 },
    forwarded: false,
    times: 99,
  });
  expect((await close(ada)).response.status).toBe(502);
  expect(await isClosed(ada)).toBe(false);
  heal();
  expect(refusalIn(await close(ada))).toEqual(holdsMoney);
});
