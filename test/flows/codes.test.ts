// Users pay PIX codes: what a code asks for, what a payment of it must fit, and that a charge is paid once.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freePort } from '../../harness/processes/free-port.ts';
import { type CodeOutcome, magicCode } from '../../sandbox/magic.ts';
import { runJob } from '../../src/jobs/run-by-hand.ts';
import { byTable } from '../support/by-table.ts';
import { type Charge, codeOfCharge } from '../support/codes.ts';
import { call, faultIn } from '../support/http.ts';
import { idMadeAgo } from '../support/id-made-ago.ts';
import { waitingForTable, whileLocked } from '../support/locks.ts';
import { outboxEmpties } from '../support/outbox.ts';
import { must, type Person, quote, reaches, refusalIn, signUp, verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import { payoutsOf } from '../support/upstream.ts';
import { useWorld } from '../support/use-world.ts';
import { startWatchedService } from '../support/watched-service.ts';

const { world, proxy, ada, db } = useWorld({ proxy: true, deposit: '1000.00' });

const SHOP = { pixKey: 'padaria@pix.example', pixKeyType: 'email' } as const;
const FAILING = { pixKey: 'fail@pix.example', pixKeyType: 'email' } as const;
const SECONDS_PER_TOKEN = 30;

type Key = { pixKey: string; pixKeyType: 'email' };

const read = ({ api }: Person, code: string) => api.POST('/pix/codes', { body: { code } });
const readCharge = async (person: Person, charge?: Charge) =>
  must(await read(person, await codeOfCharge(world, charge)));
const codesOf = ({ userId }: Person) =>
  byTable(db()).selectFrom('pix_codes').selectAll().where('user_id', '=', userId).execute();
const confirm = ({ api }: Person, quoteId: string, codeId: string, key: Key = SHOP) =>
  api.POST('/pix/payments', { body: { quoteId, ...key, codeId } });
const payCode = async (person: Person, codeId: string, key: Key = SHOP, amountBrl = 10) =>
  confirm(person, (await quote(person, amountBrl)).quoteId, codeId, key);

const budgetOf = async ({ userId }: Person) =>
  byTable(db())
    .selectFrom('name_budgets')
    .selectAll()
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();

/** Returns how many tokens the work cost. */
async function tokensOf(person: Person, work: () => Promise<unknown>): Promise<number> {
  await sql`
    insert into name_budgets (user_id, full_at) values (${person.userId}, now() + interval '5 minutes')
    on conflict (user_id) do update set full_at = excluded.full_at`.execute(db());
  const { full_at: before } = await budgetOf(person);
  await work();
  const { full_at: after } = await budgetOf(person);
  return (after.getTime() - before.getTime()) / (SECONDS_PER_TOKEN * 1_000);
}

/** Sets until when the charge of a code can be paid, as the service knows it. */
const chargeEnds = (codeId: string, inSeconds: number) =>
  sql`update pix_codes set charge_expires_at = now() + make_interval(secs => ${inSeconds}::int4)
    where id = ${codeId}`.execute(db());
const expire = (codeId: string) =>
  sql`update pix_codes set expires_at = now() - interval '1 second' where id = ${codeId}`.execute(db());

test('a user sees what a dynamic code asks for and pays it, and the payout names the code', async () => {
  const code = await codeOfCharge(world, { amount: '12.50' });
  const shown = must(await read(ada, `\u200b  ${code}\n`));
  expect(shown).toEqual({
    codeId: expect.any(String),
    kind: 'dynamic',
    ...SHOP,
    recipientName: 'Padaria Estrela Ltda.',
    institution: 'Caixa do Bairro',
    amountBrl: '12.50',
    isAmountFixed: true,
    expiresAt: expect.any(String),
  });
  const { codeId } = shown;
  const { rows } =
    await sql`select expires_at - created_at = interval '15 minutes' as "isQuarter", expires_at as "expiresAt"
      from pix_codes where id = ${codeId}`.execute(db());
  expect(rows).toEqual([{ isQuarter: true, expiresAt: new Date(shown.expiresAt) }]);
  const { pixPaymentId } = must(await payCode(ada, codeId, SHOP, 12.5));
  expect(await reaches(ada, pixPaymentId, 'completed')).toMatchObject({
    recipientName: 'Padaria Estrela Ltda.',
  });
  const [payout] = await payoutsOf(world, pixPaymentId);
  expect(payout).toMatchObject({
    br_code_uuid: (await codesOf(ada)).find((one) => one.id === codeId)?.provider_code_id,
  });
  const receipt = must(
    await ada.api.GET('/pix/payments/{id}/receipt', { params: { path: { id: pixPaymentId } } }),
  );
  expect(receipt).toMatchObject({
    recipientName: 'Padaria Estrela Ltda.',
    recipientInstitution: 'Caixa do Bairro',
  });
  expect(refusalIn(await read(ada, code))).toEqual([409, 'code_already_paid']);
});

test('a code whose payer decides the amount is paid with any amount, and a static code again and again', async () => {
  const open = must(await read(ada, magicCode('open')));
  expect(open).toMatchObject({ kind: 'dynamic', amountBrl: null, isAmountFixed: false });
  must(await payCode(ada, open.codeId, SHOP, 3));
  const suggested = await readCharge(ada, { amount: '10.00', payerDecides: 'yes' });
  expect(suggested).toMatchObject({ amountBrl: '10.00', isAmountFixed: false });
  must(await payCode(ada, suggested.codeId, SHOP, 4));
  const joana = { pixKey: 'joana@pix.example', pixKeyType: 'email' } as const;
  const fixed = must(
    await read(
      ada,
      '00020126390014br.gov.bcb.pix0117joana@pix.example52040000530398654045.005802BR5910Joana Lima6009Sao Paulo62070503***6304A821',
    ),
  );
  expect(fixed).toMatchObject({ kind: 'static', ...joana, amountBrl: '5.00', isAmountFixed: false });
  for (const amount of [5, 5]) must(await payCode(ada, fixed.codeId, joana, amount));
});

test.for<[CodeOutcome | 'text' | 'cut', number, string, number]>([
  ['expired', 409, 'code_expired', 1],
  ['already_paid', 409, 'code_already_paid', 1],
  ['cancelled', 409, 'code_cancelled', 1],
  ['not_supported', 422, 'code_not_supported', 20],
  ['unavailable', 502, 'code_unavailable', 0],
  ['text', 422, 'code_not_pix', 20],
  ['cut', 422, 'code_damaged', 20],
])('a code that is %s answers %i %s and costs %i tokens', async ([outcome, status, code, tokens]) => {
  const bea = await verified(world);
  const texts = { text: 'https://shop.example/menu', cut: magicCode('fixed').replace('fixed', 'fixes') };
  const text = outcome === 'text' || outcome === 'cut' ? texts[outcome] : magicCode(outcome);
  const reading = async () => expect(refusalIn(await read(bea, text))).toEqual([status, code]);
  expect(await tokensOf(bea, reading)).toBe(tokens);
  expect(await codesOf(bea)).toEqual([]);
});

test('a text without a visible character is refused before anybody is asked', async () => {
  const readings = proxy.spoil({ operation: 'createBrCode', spoilt: 'drop', forwarded: false });
  expect(refusalIn(await read(ada, ' \u200b '))).toEqual([422, 'code_not_pix']);
  expect(readings.hits()).toBe(0);
  readings.heal();
});

test('a code costs one token, which comes back once when the payout is ordered', async () => {
  const bea = await verified(world, { deposit: '100.00' });
  let codeId = '';
  const key = { pixKey: 'recover@pix.example', pixKeyType: 'email' } as const;
  const reading = async () => ({ codeId } = await readCharge(bea, { pixKey: key.pixKey }));
  expect(await tokensOf(bea, reading)).toBe(1);
  let id = '';
  const paying = async () => {
    id = must(await payCode(bea, codeId, key)).pixPaymentId;
    await reaches(bea, id, 'payout_failed');
  };
  expect(await tokensOf(bea, paying)).toBe(-1);
  const retrying = async () => {
    must(await bea.api.POST('/pix/payments/{id}/retry', { params: { path: { id } } }));
    await reaches(bea, id, 'completed');
  };
  expect(await tokensOf(bea, retrying)).toBe(0);
});

test.for([404, 405, 501])(
  'a provider that answers codes with %i does not offer them, and nothing is spent or stored',
  async (status) => {
    const bea = await verified(world);
    proxy.spoil({ operation: 'createBrCode', spoilt: { status, code: 'nothing' }, forwarded: false });
    const reading = async () =>
      expect(refusalIn(await read(bea, magicCode('fixed')))).toEqual([409, 'not_offered']);
    expect(await tokensOf(bea, reading)).toBe(0);
    expect(await codesOf(bea)).toEqual([]);
  },
);

test.for([
  'drop',
  'cut',
  'broken',
  { status: 500 },
  { status: 422, code: 'rejected' },
  { status: 429, code: 'rate_limited', retryAfter: 1 },
] as const)(
  'a code that the provider spoils with %j is unavailable, and nothing is spent or stored',
  async (spoilt) => {
    const bea = await verified(world);
    proxy.spoil({ operation: 'createBrCode', spoilt, forwarded: true });
    const reading = async () =>
      expect(refusalIn(await read(bea, magicCode('fixed')))).toEqual([502, 'code_unavailable']);
    expect(await tokensOf(bea, reading)).toBe(0);
    expect(await codesOf(bea)).toEqual([]);
  },
);

test.for([
  ['has no valid key', { pix_key: 'nobody' }],
  ['has a key of another type', { pix_key_type: 'cpf' }],
  ['has a name that nobody can see', { recipient_name: ' \u200b\u202e ' }],
  ['has no institution', { institution_name: '' }],
  ['fixes no amount', { amount: null }],
  ['fixes an amount of nothing', { amount: '0.00' }],
  ['does not name its charge', { charge_uuid: null }],
  ['does not say whether its amount is fixed', { amount_is_fixed: undefined }],
  ['has an end that cannot be read', { expires_at: 'soon' }],
] as const)('a dynamic code that %s is unavailable', async ([, change]) => {
  const lie = proxy.lie({ operation: 'createBrCode', change: (truth) => ({ ...truth, ...change }) });
  expect(refusalIn(await read(ada, magicCode('fixed')))).toEqual([502, 'code_unavailable']);
  lie.heal();
});

test('only a user with a completed verification and an active account reads codes', async () => {
  const bob = await signUp(world);
  const json = { code: magicCode('fixed') };
  const refused = await call(world, 'POST', '/pix/codes', { token: bob.token, json });
  expect(faultIn(refused)).toEqual([409, 'account_not_active', '/verification']);
  must(await bob.api.PATCH('/me', { body: { homeCurrency: 'GBP' } }));
  expect(refusalIn(await read(bob, magicCode('fixed')))).toEqual([409, 'account_not_active']);
});

test('codes and look-ups share one budget', async () => {
  const bea = await verified(world);
  await sql`insert into name_budgets (user_id, full_at)
    values (${bea.userId}, now() + interval '51 minutes')`.execute(db());
  expect(refusalIn(await read(bea, magicCode('fixed')))).toEqual([429, 'lookup_budget_spent']);
});

test('a payment takes only a valid code of its user, its key and its fixed amount, and otherwise pays nothing', async () => {
  const bea = await verified(world);
  const { quoteId } = await quote(ada, 10);
  const { codeId } = await readCharge(ada);
  const ofBea = (await readCharge(bea)).codeId;
  expect(refusalIn(await confirm(ada, quoteId, ofBea))).toEqual([404, 'not_found']);
  expect(refusalIn(await confirm(ada, quoteId, randomUUID()))).toEqual([404, 'not_found']);
  expect(refusalIn(await confirm(ada, quoteId, codeId, FAILING))).toEqual([422, 'code_of_another_key']);
  expect(refusalIn(await payCode(ada, codeId, SHOP, 10.01))).toEqual([422, 'code_of_another_amount']);
  await expire(codeId);
  expect(refusalIn(await confirm(ada, quoteId, codeId))).toEqual([409, 'code_outdated']);
  expect(refusalIn(await confirm(ada, quoteId, idMadeAgo({ hours: 25 })))).toEqual([409, 'code_outdated']);
  expect(refusalIn(await confirm(ada, quoteId, idMadeAgo({ hours: 23 })))).toEqual([404, 'not_found']);
  expect(must(await confirm(ada, quoteId, (await readCharge(ada)).codeId)).status).toBe('converting');
});

test('a charge that expires within ten minutes is not paid', async () => {
  const soon = must(await read(ada, magicCode('soon')));
  const row = (await codesOf(ada)).find(({ id }) => id === soon.codeId);
  expect(new Date(soon.expiresAt)).toEqual(row?.charge_expires_at);
  expect(refusalIn(await payCode(ada, soon.codeId))).toEqual([409, 'code_expires_soon']);
  const { codeId } = await readCharge(ada);
  await chargeEnds(codeId, 0);
  expect(refusalIn(await payCode(ada, codeId))).toEqual([409, 'code_expired']);
  await chargeEnds(codeId, 590);
  expect(refusalIn(await payCode(ada, codeId))).toEqual([409, 'code_expires_soon']);
  await chargeEnds(codeId, 630);
  expect(must(await payCode(ada, codeId)).status).toBe('converting');
});

test('a repeated confirmation returns its payment, and the payout is made, whatever became of the code', async () => {
  const { quoteId } = await quote(ada, 10);
  const { codeId } = await readCharge(ada);
  const { pixPaymentId } = must(await confirm(ada, quoteId, codeId));
  await expire(codeId);
  for (const other of [codeId, randomUUID(), idMadeAgo({ hours: 50 })])
    expect(must(await confirm(ada, quoteId, other)).pixPaymentId).toBe(pixPaymentId);
  await reaches(ada, pixPaymentId, 'completed');
  await chargeEnds(codeId, 0);
  expect(must(await confirm(ada, quoteId, codeId)).pixPaymentId).toBe(pixPaymentId);
});

test('a charge that another payment pays or has paid is refused to everybody', async () => {
  const bea = await verified(world, { deposit: '100.00' });
  const code = await codeOfCharge(world);
  const [hers, his, again] = [
    must(await read(ada, code)).codeId,
    must(await read(bea, code)).codeId,
    must(await read(ada, code)).codeId,
  ];
  const { pixPaymentId } = must(await payCode(ada, hers));
  for (const [person, codeId] of [
    [bea, his],
    [ada, again],
    [ada, hers],
  ] as const)
    expect(refusalIn(await payCode(person, codeId))).toEqual([409, 'code_already_used']);
  await reaches(ada, pixPaymentId, 'completed');
  expect(refusalIn(await payCode(bea, his))).toEqual([409, 'code_already_used']);
  expect((await codesOf(bea)).map(({ used_at }) => used_at)).toEqual([null]);
});

test('a charge is free again once its payment has failed, and not while a retry can still pay it', async () => {
  const bea = await verified(world, { deposit: '100.00' });
  const code = await codeOfCharge(world, { amount: '6.66' });
  const [hers, his] = [must(await read(ada, code)).codeId, must(await read(bea, code)).codeId];
  // The conversion of this amount fails.
  for (const [person, codeId] of [
    [ada, hers],
    [bea, his],
    [ada, hers],
  ] as const) {
    const { pixPaymentId } = must(await payCode(person, codeId, SHOP, 6.66));
    await reaches(person, pixPaymentId, 'failed');
  }
  const failing = await codeOfCharge(world, { pixKey: FAILING.pixKey });
  const waiting = must(await read(ada, failing)).codeId;
  const id = must(await payCode(ada, waiting, FAILING)).pixPaymentId;
  await reaches(ada, id, 'payout_failed');
  const wanted = must(await read(bea, failing)).codeId;
  expect(refusalIn(await payCode(bea, wanted, FAILING))).toEqual([409, 'code_already_used']);
});

test('a charge is free again once the recipient’s bank has returned its payment', async () => {
  const bea = await verified(world, { deposit: '100.00' });
  const key = { pixKey: 'return@pix.example', pixKeyType: 'email' } as const;
  const code = await codeOfCharge(world, { pixKey: key.pixKey });
  const [hers, his] = [must(await read(ada, code)).codeId, must(await read(bea, code)).codeId];
  const { pixPaymentId } = must(await payCode(ada, hers, key));
  await reaches(ada, pixPaymentId, 'manual_review');
  expect(must(await payCode(bea, his, key)).status).toBe('converting');
});

test('of eight accounts that confirm one charge at the same time over two processes, exactly one pays', async () => {
  const port = await freePort();
  const other = await startWatchedService(
    { ...world.env, PORT: String(port), ROLE: 'api', METRICS_PORT: String(await freePort()) },
    world.clock,
  );
  const urls = [world.url, `http://127.0.0.1:${port}`];
  const people = await Promise.all(
    Array.from({ length: 8 }, async () => verified(world, { deposit: '100.00' })),
  );
  for (let round = 0; round < 2; round += 1) {
    const code = await codeOfCharge(world);
    const bodies = await Promise.all(
      people.map(async (person) => ({
        quoteId: (await quote(person, 10)).quoteId,
        ...SHOP,
        codeId: must(await read(person, code)).codeId,
      })),
    );
    // No claim can be written until two of them have found the charge free.
    const confirming = await whileLocked(
      world.databaseUrl,
      'provider_object_users',
      'exclusive',
      async () => {
        const sent = bodies.map((json, nth) =>
          call({ url: urls[nth % 2] ?? '' }, 'POST', '/pix/payments', {
            token: people[nth]?.token ?? '',
            json,
          }),
        );
        await until(
          () => waitingForTable(db(), 'provider_object_users'),
          (waiting) => waiting >= 2,
        );
        return sent;
      },
    );
    const answers = await Promise.all(confirming);
    const outcomes = answers.map(({ status, body }) => (status === 201 ? 'paid' : body['code']));
    expect(outcomes.filter((one) => one === 'paid')).toHaveLength(1);
    expect(outcomes.filter((one) => one === 'code_already_used')).toHaveLength(7);
    // A later test spoils the next payout, which must not be this one.
    const payer = outcomes.indexOf('paid');
    await reaches(people[payer] as Person, String(answers[payer]?.body['pixPaymentId']), 'completed');
  }
  await other.stop();
});

test.for([
  ['expired', { code: 'code_expired', retryHelps: false }],
  ['already_paid', { code: 'other', retryHelps: true }],
] as const)('a payout that the provider refuses as %s says so', async ([reason, failure]) => {
  // A payout of an earlier test must not be the one that is refused.
  await outboxEmpties(world);
  const { codeId } = await readCharge(ada);
  const refusing = proxy.spoil({
    operation: 'createPayout',
    spoilt: { status: 422, code: 'rejected', reason },
    forwarded: false,
  });
  const { pixPaymentId } = must(await payCode(ada, codeId));
  expect(await reaches(ada, pixPaymentId, 'payout_failed')).toMatchObject({
    failureCode: 'payout_failed',
    payoutFailure: { ...failure, limit: null, retryFrom: null },
  });
  refusing.heal();
});

test('a night deletes codes that no payment has used within a day, and closing deletes all unused ones', async () => {
  const bea = await verified(world, { deposit: '100.00' });
  const [used, unused, fresh] = [await readCharge(bea), await readCharge(bea), await readCharge(bea)];
  const { pixPaymentId } = must(await payCode(bea, used.codeId));
  await reaches(bea, pixPaymentId, 'completed');
  await sql`update pix_codes set created_at = now() - interval '25 hours'
    where id in (${used.codeId}, ${unused.codeId})`.execute(db());
  const { run } = await runJob(world.service.app, 'purge-payloads', { run: randomUUID() });
  expect(run.counts).toMatchObject({ 'unused codes removed': 1 });
  expect((await codesOf(bea)).map(({ id }) => id).toSorted((one, two) => (one < two ? -1 : 1))).toEqual(
    [used.codeId, fresh.codeId].toSorted((one, two) => (one < two ? -1 : 1)),
  );
  const eve = await verified(world);
  await readCharge(eve);
  must(await eve.api.DELETE('/me'));
  expect(await codesOf(eve)).toEqual([]);
});
