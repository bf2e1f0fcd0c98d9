// Ends a subject that a discrepancy blocks. An operator decides its final state once, and the user, the history and the audit
// record show it.
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { reconcile } from '../../src/jobs/reconcile-by-hand.ts';
import { gbp } from '../support/bank-details.ts';
import { byTable } from '../support/by-table.ts';
import { balanceOf, must, pay, quote, reaches, refusalIn } from '../support/person.ts';
import { until } from '../support/until.ts';
import { accountRefOf } from '../support/upstream.ts';
import type { WireObject } from '../support/upstream-proxy.ts';
import { useWorld } from '../support/use-world.ts';
import { auditOf, OPERATOR, ops, opsHere } from './support.ts';

const { world, proxy, ada, db } = useWorld({ proxy: true, deposit: '1000.00' });

beforeAll(async () => {
  must(await ada.api.POST('/bank-details', { body: gbp }));
});

const here = (...args: string[]) => opsHere(world.service.app, args);
const why = ['--reason', 'their books say so, ticket 4712'];
const end = (id: string, as: string) => here('discrepancies', 'end', id, '--as', as, ...why);

const discrepancyOf = async (subjectId: string) => {
  const found = await until(
    () => byTable(db()).selectFrom('discrepancies').selectAll().where('subject_id', '=', subjectId).execute(),
    ({ length }) => length > 0,
  );
  return found[0] ?? expect.fail('no discrepancy');
};

const historyOf = async (subjectId: string) => {
  const rows = byTable(db())
    .selectFrom('transitions')
    .select(['event', 'to_state', 'cause_kind', 'cause_id']);
  return (await rows.where('subject_id', '=', subjectId).orderBy('seq', 'desc').limit(1).execute())[0];
};

/** Makes the provider report a wrong amount persistently, so that the subject is blocked. */
async function heldBy(
  currency: 'GBP' | 'BRL',
  act: () => Promise<string>,
  reported: WireObject = { amount: '9.00' },
) {
  const about = `"source_account_uuid":"${await accountRefOf(world, ada.userId, currency)}"`;
  const lie = proxy.lie({ about, change: (truth) => ({ ...truth, ...reported }) });
  const id = await act();
  return { id, discrepancy: await discrepancyOf(id), heal: lie.heal };
}

/** Each withdrawal has its own amount, because a repeated amount within a minute would be the same withdrawal. */
let amount = 1_000;
const withdraw = async () => must(await ada.api.POST('/withdraws', { body: { amount: (amount += 1) } })).id;
const transaction = async (id: string) =>
  must(await ada.api.GET('/transactions/{id}', { params: { path: { id } } }));

test.for([
  ['completed', { completedAt: expect.any(String) as string, failureReason: null }],
  ['failed', { completedAt: null, failureReason: expect.any(String) as string }],
] as const)(
  'a blocked withdrawal can be ended as %s once, with a record, and is then polled no more',
  async ([as, shown]) => {
    const { id, discrepancy, heal } = await heldBy('GBP', () => withdraw());
    expect((await transaction(id)).status).toBe('settling');
    const { code, out } = await ops(world, 'discrepancies', 'end', discrepancy.id, '--as', as, ...why);
    expect([code, out]).toEqual([0, expect.stringMatching(/^Done\. /)]);
    expect(await transaction(id)).toMatchObject({ status: as, ...shown });

    expect(await historyOf(id)).toEqual({
      event: `reviewed.${as}`,
      to_state: as,
      cause_kind: 'operator',
      cause_id: OPERATOR,
    });
    expect(await discrepancyOf(id)).toMatchObject({
      resolution: why[1],
      resolved_at: expect.any(Date),
    });
    expect(await auditOf(world, discrepancy.id)).toMatchObject([
      { action: `operator.discrepancies end --as ${as}`, user_id: ada.userId, details: { reason: why[1] } },
    ]);
    expect((await end(discrepancy.id, as)).out).toMatch(
      /^Nothing changed\. The discrepancy was resolved before/,
    );
    await until(
      () =>
        byTable(db())
          .selectFrom('provider_resources')
          .select('next_poll_at')
          .where('subject_id', '=', id)
          .execute(),
      ([resource]) => resource?.next_poll_at === null,
    );
    heal();
  },
);

test('a blocked withdrawal cannot be ended in a state that a withdrawal cannot reach', async () => {
  const { id, discrepancy, heal } = await heldBy('GBP', () => withdraw());
  expect(await end(discrepancy.id, 'manual_review')).toMatchObject({
    code: 1,
    err: expect.stringContaining('it can end as completed or failed'),
  });
  expect((await transaction(id)).status).toBe('settling');
  expect(await auditOf(world, discrepancy.id)).toEqual([]);
  heal();
});

test('a blocked withdrawal is ended once by ten concurrent operators', async () => {
  const { id, discrepancy, heal } = await heldBy('GBP', () => withdraw());
  const results = await Promise.all(
    Array.from({ length: 10 }, (_, at) => end(discrepancy.id, at % 2 === 0 ? 'completed' : 'failed')),
  );
  expect(results.filter(({ out }) => out.startsWith('Done. '))).toHaveLength(1);
  expect(results.filter(({ out }) => out.startsWith('Nothing changed. '))).toHaveLength(9);
  expect(await auditOf(world, discrepancy.id)).toHaveLength(1);
  expect((await transaction(id)).status).not.toBe('settling');
  heal();
});

const payIt = async () => pay(ada, await quote(ada, 25));

test('a blocked payment in paying can be ended as completed', async () => {
  const { id, discrepancy, heal } = await heldBy('BRL', () => payIt());
  expect((await end(discrepancy.id, 'completed')).code).toBe(0);
  const payment = await reaches(ada, id, 'completed');
  expect(payment.failureReason).toBeNull();
  expect((await transaction(payment.transactionId)).status).toBe('completed');
  heal();
});

test('a blocked payment in paying can be ended as manual_review, with the usual alarm', async () => {
  const { id, discrepancy, heal } = await heldBy('BRL', () => payIt());
  expect((await end(discrepancy.id, 'failed')).err).toContain('it can end as completed or manual_review');
  expect((await end(discrepancy.id, 'manual_review')).code).toBe(0);
  await reaches(ada, id, 'manual_review');
  expect((await here('payments')).out).toContain(id);
  heal();
});

test('a blocked payment in its conversion can be ended as manual_review, which ends its reservation', async () => {
  const before = (await balanceOf(ada)) ?? 0;
  const { id, discrepancy, heal } = await heldBy('GBP', () => payIt(), {
    destination_account_uuid: randomUUID(),
  });
  expect((await end(discrepancy.id, 'completed')).err).toContain('it can end as manual_review');
  expect((await end(discrepancy.id, 'manual_review')).code).toBe(0);
  const payment = await reaches(ada, id, 'manual_review');
  heal();
  expect(await balanceOf(ada)).toBeLessThan(before);
  expect((await transaction(payment.transactionId)).status).toBe('failed');
});

test('a failed payout that is then reported as something else is not paid again until an operator has resolved the discrepancy', async () => {
  const to = { pixKey: 'recover@pix.example', pixKeyType: 'email' } as const;
  const id = await pay(ada, await quote(ada, 25), to);
  await reaches(ada, id, 'payout_failed');
  const about = `"source_account_uuid":"${await accountRefOf(world, ada.userId, 'BRL')}"`;
  const later = new Date(Date.now() + 60_000).toISOString();
  const reported = { amount: '24.99', status: 'COMPLETED', updated_at: later };
  const lie = proxy.lie({ about, change: (truth) => ({ ...truth, ...reported }) });
  await reconcile(world.service.app);
  lie.heal();
  const { id: discrepancy, kind } = await discrepancyOf(id);
  expect(kind).toBe('not_as_ordered');
  const retry = () => ada.api.POST('/pix/payments/{id}/retry', { params: { path: { id } } });
  expect(refusalIn(await retry())).toEqual([409, 'not_retryable']);
  expect((await here('discrepancies', 'resolve', discrepancy, ...why)).code).toBe(0);
  must(await retry());
  await reaches(ada, id, 'completed');
});

test('a discrepancy that blocks nothing, such as a debit of another amount, cannot be ended', async () => {
  const about = `"source_account_uuid":"${await accountRefOf(world, ada.userId, 'GBP')}"`;
  const lie = proxy.lie({
    about,
    change: (truth) => ({ ...truth, source_amount: (Number(truth['source_amount']) - 0.01).toFixed(2) }),
  });
  const id = await pay(ada, await quote(ada, 25));
  await reaches(ada, id, 'completed');
  lie.heal();
  const { id: discrepancy } = await discrepancyOf(id);
  expect(await end(discrepancy, 'completed')).toMatchObject({
    code: 1,
    err: expect.stringContaining('discrepancies resolve'),
  });
});

test('a discrepancy with an unknown id cannot be ended', async () => {
  expect(await end(randomUUID(), 'completed')).toMatchObject({ code: 1 });
});

test('a discrepancy cannot be ended without a state', async () => {
  const result = await here('discrepancies', 'end', randomUUID(), ...why);
  expect([result.code, result.err]).toEqual([2, expect.stringContaining("required option '--as <state>'")]);
});
