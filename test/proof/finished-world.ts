// A world with every possible final state of a payment and a withdrawal, and no work in progress. The auditor must find no
// violation in it, and then each violation that a test plants.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import {
  type AcknowledgedCallback,
  acknowledgedCallback,
  type UnorderedPayout,
} from '../../proof/audit/evidence.ts';
import { reconcile } from '../../src/jobs/reconcile-by-hand.ts';
import { encryptionContexts } from '../../src/security/encryption-contexts.ts';
import { opsHere } from '../ops/support.ts';
import { gbp } from '../support/bank-details.ts';
import { byTable } from '../support/by-table.ts';
import { letTimePass, workIn } from '../support/outbox.ts';
import {
  balanceOf,
  must,
  type Person,
  pay,
  quote,
  reaches,
  receiveDeposit,
  signUp,
  verified,
} from '../support/person.ts';
import { orderFault } from '../support/provider-faults.ts';
import { until } from '../support/until.ts';
import { accountRefOf } from '../support/upstream.ts';
import { startWorld, type World } from '../support/world.ts';
import { type ClientJournal, keepJournal } from './client-journal.ts';

export type FinishedWorld = {
  world: World;
  /** The ids of the payments, by their final states. */
  payments: Record<string, string>;
  journal: ClientJournal;
  acknowledged: AcknowledgedCallback[];
};

/** Makes the world and stops it, because its databases will be copied. */
export async function finishWorld(sandboxData: string): Promise<FinishedWorld> {
  const world = await startWorld({
    env: { USDC_ACCOUNTS_ENABLED: 'true' },
    sandbox: { data: sandboxData },
  });
  const journal: ClientJournal = { orders: [], shown: [], unordered: [] };
  const ada = await verified(world);
  keepJournal(ada, journal);
  await receiveDeposit(ada, '1000.00');
  must(await ada.api.POST('/bank-details', { body: gbp }));
  const payments = { ...(await inTwoHops(ada)), ...(await directly(ada)) };
  await refusals(ada);
  await orderFault(world.sandboxUrl, { operation: 'createPayout', fault: 'unreadable' });
  await withdraw(ada, 1_000, 'completed', randomUUID());
  await withdraw(ada, 1_313, 'failed', null);
  await beginner(world, journal);
  journal.unordered.push(await payInNobodysName(await verified(world, { deposit: '50.00' })));
  await reconcile(world.service.app);
  // The callbacks of the payout that no row requested are retried again and again, later each time.
  await until(
    async () => {
      await letTimePass(world, 0);
      return workIn(world);
    },
    (work) => work.length === 0,
  );
  await readEverything(ada);
  const acknowledged = await callbacksStored(world);
  await world.stopSandbox();
  await refused(502, () => askForWithdraw(ada, 4_711));
  await world.service.stop();
  return { world, payments, journal, acknowledged };
}

type End = 'completed' | 'failed' | 'refunded' | 'payout_failed' | 'manual_review';

async function inTwoHops(ada: Person): Promise<Record<string, string>> {
  return {
    twoHop: await story(ada, 10, 'completed'),
    refunded: await story(ada, 6.66, 'refunded'),
  };
}

async function directly(ada: Person): Promise<Record<string, string>> {
  ada.world.service.app.config.usdcAccountsEnabled = false;
  return {
    direct: await story(ada, 20, 'completed'),
    failed: await story(ada, 6.66, 'failed'),
    payoutFailed: await story(ada, 30, 'payout_failed', 'fail@pix.example'),
    returned: await story(ada, 40, 'manual_review', 'return@pix.example'),
    givenBack: await returnedByOperator(ada, 50),
  };
}

/** A payment to a dead key, whose failure is made a day older so that an operator can return it. */
async function returnedByOperator(ada: Person, amountBrl: number): Promise<string> {
  const { app } = ada.world.service;
  const id = await story(ada, amountBrl, 'payout_failed', 'unknown@pix.example');
  await sql`update pix_payments set state_entered_at = state_entered_at - interval '25 hours' where id = ${id}`.execute(
    app.db,
  );
  await sql`update transitions set recorded_at = recorded_at - interval '25 hours' where subject_id = ${id}`.execute(
    app.db,
  );
  const call = ['payments', 'return', id, '--subsidy-cap-bps', '200', '--reason', 'a dead key'];
  const { code, err } = await opsHere(app, call);
  if (code !== 0) throw new Error(err);
  await reaches(ada, id, 'refunded');
  await balanceOf(ada);
  return id;
}

/** Pays, confirms twice, polls until the final state, and reads the balance. */
async function story(ada: Person, amountBrl: number, end: End, pixKey = 'shop@example.com'): Promise<string> {
  const quoted = await quote(ada, amountBrl);
  const id = await pay(ada, quoted, { pixKey, pixKeyType: 'email' });
  // The journal has milliseconds: a request in the same one as an answer does not count as sent after it.
  await pause(2);
  await pay(ada, quoted, { pixKey, pixKeyType: 'email' });
  await reaches(ada, id, end);
  await balanceOf(ada);
  return id;
}

async function withdraw(ada: Person, amount: number, end: string, key: string | null): Promise<void> {
  const { id } = must(await askForWithdraw(ada, amount, key));
  if (key !== null) must(await askForWithdraw(ada, amount, key));
  await until(
    async () => must(await ada.api.GET('/transactions/{id}', { params: { path: { id } } })),
    ({ status }) => status === end,
  );
}

const askForWithdraw = ({ api }: Person, amount: number, key: string | null = null) =>
  api.POST('/withdraws', {
    body: { amount },
    ...(key !== null && { params: { header: { 'Idempotency-Key': key } } }),
  });

/** Requests a payout from the home account that no row of the service requested. */
async function payInNobodysName({ userId, world }: Person): Promise<UnorderedPayout> {
  const { app } = world.service;
  const { handle } = await app.provider.createPayout({
    handle: randomUUID(),
    sourceAccountRef: await accountRefOf(world, userId, 'GBP'),
    amountMinor: 1_234,
    currency: 'GBP',
    destination: { rail: 'FPS', details: gbp },
  });
  await until(
    () => app.provider.findPayout(handle),
    (payout) => payout?.status === 'completed',
  );
  return { handle };
}

/** Causes each refusal for a true reason. */
async function refusals(ada: Person): Promise<void> {
  const shop = { pixKey: 'shop@example.com', pixKeyType: 'email' } as const;
  const confirm = ({ quoteId }: { quoteId: string }, pixKey = shop.pixKey as string) =>
    ada.api.POST('/pix/payments', { body: { ...shop, quoteId, pixKey } });

  const dear = await quote(ada, 90_000);
  await refused(422, () => confirm(dear));
  // In the sandbox, the quote of this amount lives for a second.
  const brief = await quote(ada, 5.55);
  await pause(Math.max(0, Date.parse(brief.expiresAt) - Date.now()) + 10);
  await refused(409, () => confirm(brief));
  const used = await quote(ada, 11);
  await reaches(ada, must(await confirm(used)).pixPaymentId, 'completed');
  await refused(409, () => confirm(used, 'other-shop@example.com'));
}

/** A user first without bank details, and then without an account. */
async function beginner(world: World, journal: ClientJournal): Promise<void> {
  const eve = await signUp(world);
  keepJournal(eve, journal);
  must(await eve.api.PATCH('/me', { body: { homeCurrency: 'GBP' } }));
  await refused(409, () => askForWithdraw(eve, 500));
  must(await eve.api.POST('/bank-details', { body: gbp }));
  await refused(409, () => askForWithdraw(eve, 500));
}

async function refused(status: number, ask: () => Promise<{ response: Response }>): Promise<void> {
  const { response } = await ask();
  if (response.status !== status) throw new Error(`answered ${response.status} instead of ${status}`);
}

async function readEverything({ api }: Person): Promise<void> {
  must(await api.GET('/pix/payments'));
  must(await api.GET('/withdraws'));
  must(await api.GET('/transactions'));
  must(await api.GET('/me'));
}

async function callbacksStored({ service }: World): Promise<AcknowledgedCallback[]> {
  const { db, sealer } = service.app;
  const rows = await byTable(db)
    .selectFrom('webhook_events as event')
    .leftJoin('webhook_payloads as payload', 'payload.event_id', 'event.id')
    .select([
      'event.id',
      'event.received_at',
      'event.payload_sealed as kept',
      'payload.payload_sealed as moved',
    ])
    .execute();
  return Promise.all(
    rows.map(async ({ id, received_at: receivedAt, kept, moved }) => {
      const place = encryptionContexts.webhookPayload(id, receivedAt);
      return acknowledgedCallback(Buffer.from(await sealer.openBytes(place, moved ?? kept)));
    }),
  );
}
