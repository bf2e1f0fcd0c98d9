// After an incident, operators run the nightly reconciliation by hand and adopt rows that a restored backup lacks.
import { expect, test } from 'vitest';
import { type Adopted, adopt, listOrphans, type Orphan } from '../../ops/recovery/recovery.ts';
import { byTable } from '../support/by-table.ts';
import { forget } from '../support/forget.ts';
import { outboxEmpties } from '../support/outbox.ts';
import { must, pay, quote, reaches } from '../support/person.ts';
import { payoutsOf } from '../support/upstream.ts';
import { useWorld } from '../support/use-world.ts';
import { auditOf, ops, opsJson, paid } from './support.ts';

const { world, ada, db } = useWorld({ env: { USDC_ACCOUNTS_ENABLED: 'true' }, deposit: '1000.00' });

const deposits = async () =>
  must(await ada.api.GET('/transactions')).filter(({ type }) => type === 'deposit');

test('`reconciliation run` finds a deposit without a callback, shows its progress, and lists payments that wait for an operator', async () => {
  await paid(ada, 'fail', 'payout_failed');
  await byTable(db()).deleteFrom('transactions').where('type', '=', 'deposit').execute();
  expect(await deposits()).toEqual([]);

  const { code, out, err } = await ops(
    world,
    'reconciliation',
    'run',
    '--reason',
    'deposits are missing',
    '--name',
    'drill',
  );
  expect([code, out.split('\n')[0]]).toEqual([0, expect.stringMatching(/^Reconciliation drill: .*deposit/)]);
  expect(out).toMatch(/^ +1 {2}payments in payout_failed/m);
  expect(err).toMatch(/^\S.*: .+\n/);
  expect(await deposits()).toMatchObject([{ sourceAmount: 100_000 }]);
  expect(await auditOf(world, 'drill')).toMatchObject([{ action: 'operator.reconciliation run' }]);

  const again = await opsJson<{ isFinished: boolean; waiting: object }>(
    world,
    'reconciliation',
    'run',
    '--reason',
    'again',
  );
  expect(again).toMatchObject({ isFinished: true, waiting: { payoutFailed: 1 } });
  expect(await deposits()).toHaveLength(1);
  expect((await ops(world, 'status')).out).toMatch(/^ {2}reconcile \S+ {2}finished/m);
});

test('`recovery list` shows resources without a row here, and `recovery adopt` recreates their rows and audits the operator', async () => {
  const payment = await paid(ada, 'joana', 'completed', 44);
  const [payout] = await payoutsOf(world, payment.id);
  await forget(world, payment);

  const listed = await ops(world, 'recovery', 'list');
  expect(listed.code).toBe(0);
  expect(listed.out).toMatch(new RegExp(`payment .*payout completed.* ${ada.userId} +completed$`, 'm'));
  const [orphan] = await opsJson<{ providerRef: string; handle: string }[]>(world, 'recovery', 'list');
  const taken = await ops(
    world,
    'recovery',
    'adopt',
    '--id',
    orphan?.providerRef ?? '',
    '--known-ids',
    payment.id,
    '--reason',
    'drill',
  );
  expect([taken.code, taken.out]).toEqual([0, expect.stringContaining(payment.id)]);

  // The payment continues under its old handles and finds that each of its resources is done.
  const back = await reaches(ada, payment.id, 'completed');
  expect(back).toMatchObject({ status: 'completed', amountBrl: '44.00', endToEndId: payment.endToEndId });
  expect(await payoutsOf(world, payment.id)).toEqual([payout]);
  expect(await auditOf(world, payment.id)).toMatchObject([
    { action: 'operator.recovery adopt', user_id: ada.userId },
  ]);
  expect((await ops(world, 'recovery', 'list')).out).toBe(
    'Every resource of the provider has its row here.\n',
  );
});

test.each([
  ['with its own id', 45, 'completed', true],
  ['with another id', 46, 'completed', false],
  // The provider refuses the second conversion of this amount.
  ['whose amount is lost', 3.33, 'refunded', false],
] as const)(
  'of two concurrent adoptions of a payment %s, one adopts it and the other finds its row',
  async (_how, amountBrl, end, isKnown) => {
    const payment = await reaches(ada, await pay(ada, await quote(ada, amountBrl)), end);
    await outboxEmpties(world);
    await forget(world, payment);
    const orphans: Orphan[] = [];
    for await (const orphan of listOrphans(world.service.app, { knownIds: isKnown ? [payment.id] : [] }))
      orphans.push(orphan);
    expect(orphans).toMatchObject([{ kind: 'payment' }]);

    const adoptions = ['grace', 'otto'].flatMap((id) =>
      orphans.map((orphan) => adopt(world.service.app, orphan, { kind: 'operator', id })),
    );
    const results = (await Promise.allSettled(adoptions)).toSorted(byAdopted);
    expect(results).toMatchObject([
      { value: { id: expect.any(String) } },
      { value: { id: null, why: 'it already has a row' } },
    ]);
  },
);

/** Sorts the result of the adoption that wrote a row before that of the other one. */
const byAdopted = (...results: [PromiseSettledResult<Adopted>, PromiseSettledResult<Adopted>]): number => {
  const [one, other] = results.map((result) => result.status === 'fulfilled' && result.value.id !== null);
  return Number(other) - Number(one);
};
