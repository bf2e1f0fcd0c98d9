// A callback announces money. The service reads the deposit from the provider, even if a false callback comes first.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { sendMoney } from '../../harness/people/sandbox.ts';
import { reconcile } from '../../src/jobs/reconcile-by-hand.ts';
import { applyReported } from '../../src/reports/apply-reported.ts';
import { byTable } from '../support/by-table.ts';
import { must, type Person, pay, quote, reaches, verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import { accountRefOf, askUpstream } from '../support/upstream.ts';
import { useWorld } from '../support/use-world.ts';

type Movement = {
  uuid: string;
  account_uuid: string;
  amount: string;
  created_at: string;
  kind: string;
  direction: string;
};

const { world, proxy } = useWorld({ proxy: true });

test('a deposit is what the provider says it is, even if its first announcement says otherwise', async () => {
  const ada = await verified(world);
  await silence(await accountRefOf(world, ada.userId, 'GBP'));
  const { deposit } = must(await ada.api.GET('/me'));
  await sendMoney(world, deposit ?? {}, '31.00');
  const movement = await lastMovement(ada);
  await announce({ ...movement, amount: '999999.00' });
  const [recorded] = await until(
    () => depositsOf(ada),
    (deposits) => deposits.length > 0,
  );
  expect(recorded?.sourceAmount).toBe(3_100);
});

test('money that came back is not a deposit, whatever its announcement calls it', async () => {
  const ada = await verified(world, { deposit: '100.00' });
  await reaches(ada, await pay(ada, await quote(ada, 6.66)), 'failed');
  const movement = await lastMovement(ada);
  expect(movement).toMatchObject({ direction: 'CREDIT', kind: 'INTERNAL_TRANSFER' });
  await announce({ ...movement, kind: 'DEPOSIT', amount: '50.00' });
  await until(
    () => unprocessed(),
    (events) => events.length === 0,
  );
  expect(await depositsOf(ada)).toHaveLength(1);
});

test('a movement of zero is not a deposit, and does not stop the scan of the movements after it', async () => {
  const ada = await verified(world);
  await silence(await accountRefOf(world, ada.userId, 'GBP'));
  const { deposit } = must(await ada.api.GET('/me'));
  await sendMoney(world, deposit ?? {}, '0.01');
  await sendMoney(world, deposit ?? {}, '32.00');
  const lie = proxy.lie({
    about: '"amount":"0.01"',
    change: (truth) => ({ ...truth, amount: '0.00' }),
  });
  const { counts, failures } = await reconcile(world.service.app);
  expect(lie.hits()).toBeGreaterThan(0);
  expect(failures).toEqual([]);
  expect(counts['deposits recorded']).toBe(1);
  expect((await depositsOf(ada)).map(({ sourceAmount }) => sourceAmount)).toEqual([3_200]);
  lie.heal();
});

test('money that somebody sends to the BRL account is not listed as a deposit', async () => {
  const ada = await verified(world);
  const movement = {
    kind: 'movement',
    providerRef: randomUUID(),
    accountRef: await accountRefOf(world, ada.userId, 'BRL'),
    direction: 'credit',
    purpose: 'deposit',
    amountMinor: 3_400,
    currency: 'BRL',
    sourceReference: null,
    createdAt: new Date(),
  } as const;
  const cause = { kind: 'job', id: 'a test' } as const;
  expect(await applyReported(world.service.app, movement, cause)).toBe('nothing_new');
  expect(await depositsOf(ada)).toEqual([]);
});

test('a deposit in a currency that the account does not hold is shown to operators only', async () => {
  const ada = await verified(world);
  await silence(await accountRefOf(world, ada.userId, 'GBP'));
  const { deposit } = must(await ada.api.GET('/me'));
  await sendMoney(world, deposit ?? {}, '33.00');
  const lie = proxy.lie({
    about: '"amount":"33.00"',
    change: (truth) => ({ ...truth, currency: 'EUR' }),
  });
  await announce(await lastMovement(ada));
  await until(
    () => unprocessed(),
    (events) => events.length === 0,
  );
  for (let night = 0; night < 2; night += 1)
    expect((await reconcile(world.service.app)).failures).toEqual([]);
  lie.heal();
  expect(await depositsOf(ada)).toEqual([]);
  const recorded = await byTable(world.service.app.db)
    .selectFrom('discrepancies')
    .select(['kind', 'event', 'event_data', 'subject_kind'])
    .where('user_id', '=', ada.userId)
    .execute();
  expect(recorded).toEqual([
    {
      kind: 'not_as_ordered',
      event: 'deposit.received',
      event_data: { amountMinor: 3_300, currency: 'EUR', differs: ['currency'] },
      subject_kind: 'provider_account',
    },
  ]);
});

/** From now on, only the test sends callbacks about this account. */
async function silence(accountRef: string): Promise<void> {
  const response = await fetch(`${world.sandboxUrl}/v1/accounts/${accountRef}/`, {
    method: 'PATCH',
    headers: {
      authorization: `Basic ${Buffer.from('sandbox:sandbox-password').toString('base64')}`,
      'x-company-id': 'sandbox-company',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ callback_url: 'http://127.0.0.1:9/' }),
  });
  if (!response.ok) throw new Error(`silencing an account answered ${response.status}`);
}

async function lastMovement({ userId }: Person): Promise<Movement> {
  const account = await accountRefOf(world, userId, 'GBP');
  const path = `/accounts/${account}/movements/?limit=1000`;
  const { results } = await askUpstream<{ results: Movement[] }>(world, path);
  const movement = results.at(-1);
  if (!movement) throw new Error('no movement');
  return movement;
}

async function announce(data: Movement): Promise<void> {
  // Each announcement has its own time, so that it is not taken for a repetition.
  const updated_at = new Date(Date.now() + Math.floor(Math.random() * 1_000)).toISOString();
  const response = await fetch(`${world.url}/webhooks/provider/${world.webhookSecret}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-request-id': randomUUID() },
    body: JSON.stringify({ event: 'movement.created', data, updated_at }),
  });
  expect(response.status).toBe(200);
}

const unprocessed = () =>
  byTable(world.service.app.db)
    .selectFrom('webhook_events')
    .select('id')
    .where('processed_at', 'is', null)
    .execute();

const depositsOf = async ({ api }: Person) =>
  must(await api.GET('/transactions')).filter(({ type }) => type === 'deposit');
