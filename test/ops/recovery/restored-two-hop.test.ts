// The drill for payments through USDC: one in progress, one that was refunded, and one whose reverse leg began after the backup.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adopt, listOrphans } from '../../../ops/recovery/recovery.ts';
import { handleFor } from '../../../src/domain/handles.ts';
import { reconcile } from '../../../src/jobs/reconcile-by-hand.ts';
import { byTable } from '../../support/by-table.ts';
import { balanceOf, must, pay, quote, reaches } from '../../support/person.ts';
import { movementsOf } from '../../support/upstream.ts';
import { useWorld } from '../../support/use-world.ts';
import { type Backup, backUp } from './restored.ts';

const cause = { kind: 'operator', id: 'grace' } as const;

let backup: Backup;
let inTheMiddle: string;
let before: { balance: number | undefined; movements: string[] };

const { world, ada, app } = useWorld({
  env: { USDC_ACCOUNTS_ENABLED: 'true' },
  sandbox: { settleMs: 400 },
  deposit: '1000.00',
});
beforeAll(async () => {
  inTheMiddle = await pay(ada, await quote(ada, 50));
  backup = await backUp(world);

  const [paid, failing, rejected] = await Promise.all([51, 6.66, 3.33].map((amount) => quote(ada, amount)));
  await Promise.all([
    reaches(ada, inTheMiddle, 'completed'),
    ...(paid ? [pay(ada, paid).then((id) => reaches(ada, id, 'completed'))] : []),
    ...(failing ? [pay(ada, failing).then((id) => reaches(ada, id, 'refunded'))] : []),
    ...(rejected ? [pay(ada, rejected).then((id) => reaches(ada, id, 'refunded'))] : []),
  ]);
  before = await seen();
  await backup.restore();
});
afterAll(async () => {
  await backup.drop();
});

test('a payment that was in progress at the backup reaches its final state, and nothing moves at the provider', async () => {
  await reconcile(app());
  await reaches(ada, inTheMiddle, 'completed');
  expect(await seen()).toEqual(before);
});

test('the lost payments are adopted in their final states', async () => {
  const states: string[] = [];
  for await (const orphan of listOrphans(app()))
    states.push(String((await adopt(app(), orphan, cause)).state));
  expect(states.toSorted()).toEqual(['completed', 'failed', 'refunded']);
  const lines = must(await ada.api.GET('/transactions'))
    .filter(({ type }) => type === 'payment')
    .map(({ status, destAmount, failureReason }) => `${status} ${destAmount} ${failureReason}`);
  const back = 'The payment could not be completed. What you paid is back in your balance.';
  expect(lines.toSorted()).toEqual([
    'completed 5000 null',
    'completed 5100 null',
    `failed 666 ${back}`,
    // The second conversion of this payment was refused before it was made, so the amount to be paid is unknown.
    `failed null ${back}`,
  ]);
  expect(await seen()).toEqual(before);
  expect(await reconcile(app())).toMatchObject({ openDiscrepancies: 0, failures: [], orphans: [] });
});

test('leg 2 is not started again when the reverse leg exists', async () => {
  const id = await pay(ada, await quote(ada, 3.33));
  await reaches(ada, id, 'refunded');
  const ended = await seen();
  await putBackToSecondConversion(id);
  expect((await reconcile(app())).counts).toMatchObject({ 'payments corrected': 1 });
  await reaches(ada, id, 'refunded');
  expect(await seen()).toEqual(ended);
});

const seen = async () => ({
  balance: await balanceOf(ada),
  movements: [await movementsOf(ada, 'GBP'), await movementsOf(ada, 'BRL')].flat(),
});

/** Sets the row back to an older backup, just before it gave up the second conversion. */
async function putBackToSecondConversion(id: string): Promise<void> {
  const { db } = app();
  const { seq } = await byTable(db)
    .selectFrom('transitions')
    .select('seq')
    .where('subject_id', '=', id)
    .where('to_state', '=', 'converting.leg2')
    .executeTakeFirstOrThrow();
  await byTable(db).deleteFrom('transitions').where('subject_id', '=', id).where('seq', '>', seq).execute();
  await byTable(db).deleteFrom('effects').where('subject_id', '=', id).where('seq', '>', seq).execute();
  await byTable(db)
    .deleteFrom('provider_resources')
    .where('handle', '=', handleFor(id, 'conversion-reverse'))
    .execute();
  await byTable(db)
    .updateTable('pix_payments')
    .set({ state: 'converting.leg2', seq, failure: null, usdc_residual_minor: null })
    .where('id', '=', id)
    .execute();
}
