// The timeline of a subject on one screen. It is found by any id, in chronological order, and shows no names.
import { beforeAll, expect, test } from 'vitest';
import type { Timeline } from '../../ops/timeline/timeline.ts';
import type { PixPayment } from '../../packages/client/src/index.ts';
import { handleFor } from '../../src/domain/handles.ts';
import { byTable } from '../support/by-table.ts';
import { call } from '../support/http.ts';
import { markPersonal } from '../support/leak-watch.ts';
import { must, pay, quote, reaches, receiveDeposit, withdraw } from '../support/person.ts';
import { until } from '../support/until.ts';
import { payoutsOf } from '../support/upstream.ts';
import { useWorld } from '../support/use-world.ts';
import { ops, opsHere, opsJson, paid } from './support.ts';

let recovered: PixPayment;

const { world, ada, db } = useWorld({ deposit: '1000.00' });
beforeAll(async () => {
  recovered = await paid(ada, 'recover', 'payout_failed', 20);
  const { id } = recovered;
  const retried = await ops(world, 'payments', 'retry-payout', id, '--reason', 'the bank is back');
  if (retried.code !== 0) throw new Error(retried.err);
  recovered = await reaches(ada, id, 'completed');
});

test('the timeline of a payment is shown from its request to its final state, in chronological order', async () => {
  const { code, out, err } = await ops(world, 'show', recovered.id);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(new RegExp(`^PIX payment {2}${recovered.id} {2}completed, `));
  expect(out).toContain(`transaction     ${recovered.transactionId}, completed`);
  expect(out).toContain('BRL 20.00 to email r******@pix.example');
  expect(out).toMatch(/^ {2}transfer direct +completed +GBP \d\.\d\d -> BRL 20\.00/m);
  expect(out).toMatch(/^ {2}payout +completed +BRL 20\.00, attempt 2/m);

  const history = out.slice(out.indexOf('History')).split('\n').slice(2);
  const steps = history.map((line) => line.trim().split(/ {2,}/).slice(1, 3).join(': '));
  expect(steps.filter((line) => !line.startsWith('callback'))).toEqual([
    'state: quoted',
    'state: quoted -> converting.direct',
    'effect: startConversion direct',
    'state: converting.direct -> paying',
    'effect: startPayout',
    'state: paying -> payout_failed',
    'state: payout_failed -> paying',
    'effect: startPayout',
    'operator: payments retry-payout',
    'state: paying -> completed',
    '',
  ]);
  expect(steps.filter((line) => line === 'callback: payout.updated')).toHaveLength(2);
  expect(out).toMatch(/operator +payments retry-payout +the bank is back +olga$/m);
  expect(out).toMatch(/payout_failed -> paying +retry +operator olga$/m);
});

test('the timeline of a payment is found by its own id and by every id that belongs to it', async () => {
  const { quote_id: quoteId } = await byTable(db())
    .selectFrom('pix_payments')
    .select('quote_id')
    .where('id', '=', recovered.id)
    .executeTakeFirstOrThrow();
  const { id: effectId } = await byTable(db())
    .selectFrom('effects')
    .select('id')
    .where('subject_id', '=', recovered.id)
    .limit(1)
    .executeTakeFirstOrThrow();
  const [payout] = await payoutsOf(world, recovered.id);
  const ids = [
    recovered.transactionId,
    recovered.id.toUpperCase(),
    `quote_${quoteId}`,
    effectId,
    handleFor(recovered.id, 'payout'),
    payout?.uuid ?? '',
    recovered.endToEndId ?? '',
    recovered.voucherId ?? '',
  ];
  for (const id of ids) {
    const { out } = await opsHere(world.service.app, ['show', id, '--json']);
    expect([id, (JSON.parse(out) as Timeline).id]).toEqual([id, recovered.id]);
  }
  for (const nothing of ['5', '019ab5e2-7c1f-7d3a-9c55-0a1b2c3d4e5f', "'; drop table users"])
    expect(await opsHere(world.service.app, ['show', nothing])).toMatchObject({ code: 1, out: '' });
});

test('the timeline of a payment is found by the id of the request that made it', async () => {
  const { cause_id: requestId } = await byTable(db())
    .selectFrom('transitions')
    .select('cause_id')
    .where('subject_id', '=', recovered.id)
    .where('cause_kind', '=', 'request')
    .limit(1)
    .executeTakeFirstOrThrow();
  const timeline = await opsJson<Timeline>(world, 'show', requestId);
  expect([timeline.what, timeline.id]).toEqual(['PIX payment', recovered.id]);
});

test('the timeline of a payment shows neither the PIX key nor the recipient’s name', async () => {
  const to = { pixKey: '+5511987654321', pixKeyType: 'phone', recipientName: 'Joana Lima' } as const;
  const { id } = await reaches(ada, await pay(ada, await quote(ada, 15), to), 'completed');
  for (const { out } of [await ops(world, 'show', id), await ops(world, 'show', id, '--json')]) {
    expect(out).toContain('+55*******4321');
    expect(out).not.toMatch(/987654|Joana|Ada|ada@example/);
  }
});

test('the timeline of a payment is printed as JSON with full times', async () => {
  const timeline = await opsJson<Timeline>(world, 'show', recovered.id);
  expect(timeline).toMatchObject({ what: 'PIX payment', state: 'completed', lists: [] });
  expect(timeline.provider).toMatchObject([
    { what: 'transfer direct', status: 'completed', handle: handleFor(recovered.id, 'conversion-direct') },
    { what: 'payout', status: 'completed', handle: handleFor(recovered.id, 'payout') },
  ]);
  const moments = timeline.history?.map(({ at }) => String(at)) ?? [];
  expect(moments.toSorted()).toEqual(moments);
});

test('the timeline of a withdrawal is shown until its return, with a masked destination', async () => {
  const id = await withdraw(ada, 1_414);
  const { out } = await until(
    () => opsHere(world.service.app, ['show', id]),
    (seen) => /^Withdrawal +\S+ +failed/.test(seen.out),
  );
  expect(out).toContain('GBP 14.14 by FPS to ****5678 12-**-56');
  expect(out).toMatch(/(settling|completed) -> failed +off-ramp.refunded/);
  expect(out).not.toMatch(/12345678|Silva/);
});

test('the timeline of a user shows accounts and transactions, and a deposit is found by its movement', async () => {
  const { out } = await ops(world, 'show', ada.userId);
  expect(out).toMatch(/^ {2}GBP account +active +GBP \d+\.\d\d/m);
  expect(out).toMatch(new RegExp(`^ {2}${recovered.id} {2}PIX payment +completed`, 'm'));
  const [, id] = /^ {2}(\S+) {2}deposit +completed .*GBP 1000\.00$/m.exec(out) ?? [];
  expect((await opsHere(world.service.app, ['show', id ?? ''])).out).toMatch(/received +GBP 1000\.00/);
});

test('the timeline of a deposit shows the payer’s reference, which is sealed in the database', async () => {
  const reference = 'Aluguel da Dona Amélia';
  markPersonal({ reference });
  await receiveDeposit(ada, '12.00', reference);
  const [newest] = must(await ada.api.GET('/transactions'));
  const { out } = await opsHere(world.service.app, ['show', newest?.id ?? '']);
  expect(out).toMatch(/the payer wrote +Aluguel da Dona Amélia/);
  const row = await byTable(world.service.app.db)
    .selectFrom('transactions')
    .select('source_reference_sealed')
    .where('id', '=', newest?.id ?? '')
    .executeTakeFirstOrThrow();
  expect(Buffer.from(row.source_reference_sealed ?? []).toString('latin1')).not.toContain('Aluguel');
});

/** @returns the id of the request, as its response names it. */
const requested = async (method: string, path: string, json?: object): Promise<string> => {
  const { headers } = await call(world, method, path, { token: ada.token, json });
  return headers.get('x-request-id') ?? '';
};

test('the id of a withdrawal’s request leads to the withdrawal', async () => {
  const requestId = await requested('POST', '/withdraws', { amount: 1_515 });
  const timeline = await opsJson<Timeline>(world, 'show', requestId);
  expect(timeline).toMatchObject({ what: 'Withdrawal' });
  expect(JSON.stringify(timeline.facts)).toContain('15.15');
});

test('the id of a request that only left an audit entry leads to its user', async () => {
  const requestId = await requested('GET', '/bank-details?reveal=true');
  expect(await opsJson<Timeline>(world, 'show', requestId)).toMatchObject({ what: 'User', id: ada.userId });
});

test('the id of a refused request is only in the log, and the message says so', async () => {
  const requestId = await requested('POST', '/pix/payments', { quoteId: 'quote_none' });
  const { code, err } = await opsHere(world.service.app, ['show', requestId]);
  expect([code, err]).toEqual([1, expect.stringContaining('only in the log')]);
});

test('the timeline of a payment shows our rows while the provider is unreachable', async () => {
  await world.stopSandbox();
  const { code, out } = await ops(world, 'show', recovered.id);
  expect(code).toBe(0);
  expect(out).toMatch(/^ {2}payout +unreachable /m);
  expect(out).toMatch(/payout_failed -> paying/);
});
