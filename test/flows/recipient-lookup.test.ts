// Users see whom they pay: look-ups of PIX keys, their use by payments, and the tokens that they cost.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freePort } from '../../harness/processes/free-port.ts';
import { runJob } from '../../src/jobs/run-by-hand.ts';
import { byTable } from '../support/by-table.ts';
import { fill } from '../support/fill.ts';
import { call, faultIn } from '../support/http.ts';
import { idMadeAgo } from '../support/id-made-ago.ts';
import { markPersonal } from '../support/leak-watch.ts';
import { valueIn } from '../support/metrics.ts';
import { must, type Person, pay, quote, reaches, refusalIn, signUp, verified } from '../support/person.ts';
import { payoutsOf } from '../support/upstream.ts';
import { useWorld } from '../support/use-world.ts';
import { startWatchedService } from '../support/watched-service.ts';

const { world, proxy, ada, db } = useWorld({ proxy: true, deposit: '500.00' });

const JOANA = { pixKey: 'joana@pix.example', pixKeyType: 'email' } as const;
const UNKNOWN = { pixKey: 'unknown@pix.example', pixKeyType: 'email' } as const;
const SECONDS_PER_TOKEN = 30;
markPersonal({ recipientName: 'Joana Lima', taxId: '***.982.247-**' });

type Key = { pixKey: string; pixKeyType: 'cpf' | 'cnpj' | 'phone' | 'email' | 'evp' };
const lookUp = ({ api }: Person, key: Key) => api.POST('/pix/recipients/lookup', { body: key });
const lookUpJoana = async (person: Person) => must(await lookUp(person, JOANA)).lookupId;

const lookupsOf = ({ userId }: Person) =>
  byTable(db()).selectFrom('pix_lookups').selectAll().where('user_id', '=', userId).execute();
const budgetOf = async ({ userId }: Person) =>
  byTable(db())
    .selectFrom('name_budgets')
    .selectAll()
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();

/** Leaves a number of tokens. No token comes back within a test that takes fewer than 30 seconds. */
const leave = ({ userId }: Person, tokens: number) =>
  sql`
    insert into name_budgets (user_id, full_at)
    values (${userId}, now() + make_interval(secs => ${(100 - tokens) * SECONDS_PER_TOKEN}::int4))
    on conflict (user_id) do update set full_at = excluded.full_at`.execute(db());

/** Returns how many tokens the work cost. */
async function tokensOf(person: Person, work: () => Promise<unknown>): Promise<number> {
  await leave(person, 90);
  const { full_at: before } = await budgetOf(person);
  await work();
  const { full_at: after } = await budgetOf(person);
  return (after.getTime() - before.getTime()) / (SECONDS_PER_TOKEN * 1_000);
}

const expire = (id: string) =>
  sql`update pix_lookups set expires_at = now() - interval '1 second' where id = ${id}`.execute(db());

const confirm = ({ api }: Person, quoteId: string, lookupId: string, key: Key = JOANA) =>
  api.POST('/pix/payments', { body: { quoteId, ...key, lookupId } });

test('a user sees the owner of a key, and the payment keeps the name that the user saw', async () => {
  const shown = must(await lookUp(ada, { ...JOANA, pixKey: ' Joana@PIX.example ' }));
  expect(shown).toEqual({
    lookupId: expect.any(String),
    recipientName: 'Joana Lima',
    taxIdMasked: '***.982.247-**',
    institution: 'Banco Estrela',
    expiresAt: expect.any(String),
  });
  const { lookupId } = shown;
  const { rows } =
    await sql`select expires_at - created_at = interval '15 minutes' as "isQuarter", expires_at as "expiresAt"
    from pix_lookups where id = ${lookupId}`.execute(db());
  expect(rows).toEqual([{ isQuarter: true, expiresAt: new Date(shown.expiresAt) }]);
  const id = await pay(ada, await quote(ada, 10), { ...JOANA, lookupId, recipientName: 'Somebody Else' });
  expect(await reaches(ada, id, 'completed')).toMatchObject({ recipientName: 'Joana Lima' });
  const [payout] = await payoutsOf(world, id);
  expect(payout).toMatchObject({
    destination: { recipient_name: 'Joana Lima' },
    lookup_uuid: (await lookupsOf(ada)).find((one) => one.id === lookupId)?.provider_lookup_id,
  });
});

test('a key that exists costs one token, which comes back once when the payout is ordered', async () => {
  const bea = await verified(world, { deposit: '100.00' });
  const key = { pixKey: 'recover@pix.example', pixKeyType: 'email' } as const;
  let [lookupId, id] = ['', ''];
  expect(await tokensOf(bea, async () => ({ lookupId } = must(await lookUp(bea, key))))).toBe(1);
  const paying = async () => {
    id = await pay(bea, await quote(bea, 5), { ...key, lookupId });
    await reaches(bea, id, 'payout_failed');
  };
  expect(await tokensOf(bea, paying)).toBe(-1);
  const retrying = async () => {
    must(await bea.api.POST('/pix/payments/{id}/retry', { params: { path: { id } } }));
    await reaches(bea, id, 'completed');
  };
  expect(await tokensOf(bea, retrying)).toBe(0);
  // Another payment may use the look-up while it is valid. Its token is back.
  const payingAgain = async () => {
    const again = await pay(bea, await quote(bea, 6), { ...key, lookupId });
    await reaches(bea, again, 'payout_failed');
  };
  expect(await tokensOf(bea, payingAgain)).toBe(0);
});

test('the token comes back once although the answer to the payout is lost', async () => {
  const bea = await verified(world, { deposit: '100.00' });
  const lookupId = await lookUpJoana(bea);
  const lost = proxy.spoil({ operation: 'createPayout', spoilt: 'drop', forwarded: true });
  const paying = async () =>
    reaches(bea, await pay(bea, await quote(bea, 5), { ...JOANA, lookupId }), 'completed');
  expect(await tokensOf(bea, paying)).toBe(-1);
  expect(lost.hits()).toBe(1);
});

test('a key without an account costs twenty tokens, and nothing is stored', async () => {
  const bea = await verified(world);
  const asking = async () => expect(refusalIn(await lookUp(bea, UNKNOWN))).toEqual([404, 'pix_key_unknown']);
  expect(await tokensOf(bea, asking)).toBe(20);
  expect(await lookupsOf(bea)).toEqual([]);
});

test.for([404, 405, 501])(
  'a provider that answers look-ups with %i does not offer them, and nothing is spent or stored',
  async (status) => {
    const bea = await verified(world);
    const lacking = proxy.spoil({
      operation: 'createPixKeyLookup',
      spoilt: { status, code: 'nothing' },
      forwarded: false,
    });
    const asking = async () => expect(refusalIn(await lookUp(bea, JOANA))).toEqual([409, 'not_offered']);
    expect(await tokensOf(bea, asking)).toBe(0);
    expect(lacking.hits()).toBe(1);
    expect(await lookupsOf(bea)).toEqual([]);
  },
);

test.for([
  'drop',
  'cut',
  'broken',
  'mismatched',
  { status: 500 },
  { status: 422, code: 'rejected' },
  { status: 429, code: 'rate_limited', retryAfter: 1 },
] as const)(
  'a look-up that the provider spoils with %j is unavailable, and nothing is spent or stored',
  async (spoilt) => {
    const bea = await verified(world);
    proxy.spoil({ operation: 'createPixKeyLookup', spoilt, forwarded: true });
    const asking = async () =>
      expect(refusalIn(await lookUp(bea, JOANA))).toEqual([502, 'lookup_unavailable']);
    expect(await tokensOf(bea, asking)).toBe(0);
    expect(await lookupsOf(bea)).toEqual([]);
  },
);

test.for([
  ['is about another key', { pix_key: 'somebody.else@pix.example' }],
  ['is about a key of another type', { pix_key_type: 'evp' }],
  ['has no name', { recipient_name: null }],
  ['has a name that nobody can see', { recipient_name: ' \u200b\u202e ' }],
  ['has no institution', { institution_name: '' }],
] as const)('a look-up that %s is unavailable', async ([, change]) => {
  const lie = proxy.lie({ operation: 'createPixKeyLookup', change: (truth) => ({ ...truth, ...change }) });
  expect(refusalIn(await lookUp(ada, JOANA))).toEqual([502, 'lookup_unavailable']);
  lie.heal();
});

test('a name cannot hide or reorder what the user reads, and a complete CPF is masked', async () => {
  const change = { recipient_name: `  Joana\u202e ${'L'.repeat(200)}`, recipient_tax_id: '529.982.247-25' };
  const lie = proxy.lie({ operation: 'createPixKeyLookup', change: (truth) => ({ ...truth, ...change }) });
  const shown = must(await lookUp(ada, JOANA));
  lie.heal();
  expect(shown.recipientName).toMatch(/^Joana +L+$/);
  expect(shown.recipientName).toHaveLength(140);
  expect(shown.taxIdMasked).toBe('***.982.247-**');
});

test('an unavailable directory does not keep a user from paying', async () => {
  const key = { pixKey: 'unavailable@pix.example', pixKeyType: 'email' } as const;
  expect(refusalIn(await lookUp(ada, key))).toEqual([502, 'lookup_unavailable']);
  await reaches(ada, await pay(ada, await quote(ada, 4), key), 'completed');
});

test('only a user with a completed verification and an active account looks up recipients', async () => {
  const bob = await signUp(world);
  const refused = await call(world, 'POST', '/pix/recipients/lookup', { token: bob.token, json: JOANA });
  expect(faultIn(refused)).toEqual([409, 'account_not_active', '/verification']);
  must(await bob.api.PATCH('/me', { body: { homeCurrency: 'GBP' } }));
  expect(refusalIn(await lookUp(bob, JOANA))).toEqual([409, 'account_not_active']);
  const mistyped = { pixKey: '52998224724', pixKeyType: 'cpf' };
  const invalid = await call(world, 'POST', '/pix/recipients/lookup', { token: ada.token, json: mistyped });
  expect(faultIn(invalid)).toEqual([400, 'invalid_request', '/body/pixKey']);
});

test('a user without a token waits for one, and the first such refusal of a day is on record', async () => {
  const bea = await verified(world);
  const refusals = async () =>
    valueIn(await world.service.app.metrics.registry.metrics(), 'ponte_name_budget_refusals_total') ??
    Number.NaN;
  const before = await refusals();
  await leave(bea, 0);
  for (let times = 0; times < 3; times += 1) {
    const { status, body, headers } = await call(world, 'POST', '/pix/recipients/lookup', {
      token: bea.token,
      json: JOANA,
    });
    expect([status, body['code']]).toEqual([429, 'lookup_budget_spent']);
    const seconds = Number(headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(SECONDS_PER_TOKEN);
  }
  expect((await refusals()) - before).toBe(3);
  expect(await recordsOf(bea)).toBe(1);
  await sql`update name_budgets set recorded_at = now() - interval '1 day'
    where user_id = ${bea.userId}`.execute(db());
  expect(refusalIn(await lookUp(bea, JOANA))).toEqual([429, 'lookup_budget_spent']);
  expect(await recordsOf(bea)).toBe(2);

  // One token is enough to ask, also for a key that costs more.
  await leave(bea, 1);
  expect(refusalIn(await lookUp(bea, UNKNOWN))).toEqual([404, 'pix_key_unknown']);
  const { headers } = await call(world, 'POST', '/pix/recipients/lookup', { token: bea.token, json: JOANA });
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(19 * SECONDS_PER_TOKEN);
});

test('no budget has more than a hundred tokens', async () => {
  const bea = await verified(world);
  await sql`insert into name_budgets (user_id, full_at)
    values (${bea.userId}, now() - interval '1 year')`.execute(db());
  for (let time = 0; time < 5; time += 1)
    expect(refusalIn(await lookUp(bea, UNKNOWN))).toEqual([404, 'pix_key_unknown']);
  expect(refusalIn(await lookUp(bea, UNKNOWN))).toEqual([429, 'lookup_budget_spent']);
});

test('forty concurrent look-ups over two processes spend exactly what they cost', async () => {
  const bea = await verified(world);
  const port = await freePort();
  const other = await startWatchedService(
    { ...world.env, PORT: String(port), ROLE: 'api', METRICS_PORT: String(await freePort()) },
    world.clock,
  );
  const urls = [world.url, `http://127.0.0.1:${port}`];
  const askAll = (keyOf: (nth: number) => Key) =>
    Promise.all(
      Array.from({ length: 40 }, (_, nth) =>
        call({ url: urls[nth % 2] ?? '' }, 'POST', '/pix/recipients/lookup', {
          token: bea.token,
          json: keyOf(nth),
        }),
      ),
    );
  const spent = async (keyOf: (nth: number) => Key) => {
    const { full_at: before } = await budgetOf(bea);
    const statuses = (await askAll(keyOf)).map(({ status }) => status);
    const count = (status: number) => statuses.filter((one) => one === status).length;
    const { full_at: after } = await budgetOf(bea);
    const tokens = (after.getTime() - before.getTime()) / (SECONDS_PER_TOKEN * 1_000);
    expect(tokens).toBe(count(200) + 20 * count(404));
    expect(count(200) + count(404) + count(429)).toBe(40);
    return { found: count(200), unknown: count(404) };
  };
  // After five unknown keys one token is owed. The next one to ask would need a minute.
  await leave(bea, 99);
  expect(await spent(() => UNKNOWN)).toEqual({ found: 0, unknown: 5 });
  expect(await recordsOf(bea)).toBe(1);
  await leave(bea, 99);
  const mixed = await spent((nth) => (nth % 4 < 2 ? JOANA : UNKNOWN));
  expect(mixed.found + mixed.unknown).toBeGreaterThanOrEqual(5);
  await other.stop();
});

test('the concurrent first look-ups of a user share one budget', async () => {
  const bea = await verified(world);
  const answers = await Promise.all(Array.from({ length: 8 }, () => lookUp(bea, UNKNOWN)));
  const statuses = answers.map(({ response }) => response.status).toSorted((one, two) => one - two);
  expect(statuses).toEqual([404, 404, 404, 404, 404, 429, 429, 429]);
});

test('a payment takes only a valid look-up of its user and its key, and otherwise pays nothing', async () => {
  const bea = await verified(world);
  const { quoteId } = await quote(ada, 3);
  const lookupId = await lookUpJoana(ada);
  const ofBea = await lookUpJoana(bea);
  expect(refusalIn(await confirm(ada, quoteId, ofBea))).toEqual([404, 'not_found']);
  await world.service.app.auditLog.flush(true);
  const tried = await byTable(db())
    .selectFrom('audit_events')
    .select('details')
    .where('action', '=', 'foreign-id.tried')
    .execute();
  expect(tried).toMatchObject([{ details: { target: ofBea } }]);
  expect(refusalIn(await confirm(ada, quoteId, randomUUID()))).toEqual([404, 'not_found']);
  const another = { pixKey: 'padaria@pix.example', pixKeyType: 'email' } as const;
  expect(refusalIn(await confirm(ada, quoteId, lookupId, another))).toEqual([422, 'lookup_of_another_key']);
  await expire(lookupId);
  expect(refusalIn(await confirm(ada, quoteId, lookupId))).toEqual([409, 'lookup_expired']);
  expect(refusalIn(await confirm(ada, quoteId, idMadeAgo({ hours: 25 })))).toEqual([409, 'lookup_expired']);
  expect(refusalIn(await confirm(ada, quoteId, idMadeAgo({ hours: 23 })))).toEqual([404, 'not_found']);
  const { status } = must(await confirm(ada, quoteId, await lookUpJoana(ada)));
  expect(status).toBe('converting');
});

test('a repeated confirmation returns its payment, and the payout is made, whatever became of the look-up', async () => {
  const { quoteId } = await quote(ada, 3);
  const lookupId = await lookUpJoana(ada);
  const { pixPaymentId } = must(await confirm(ada, quoteId, lookupId));
  await expire(lookupId);
  for (const other of [lookupId, randomUUID(), idMadeAgo({ hours: 50 })])
    expect(must(await confirm(ada, quoteId, other)).pixPaymentId).toBe(pixPaymentId);
  expect(await pay(ada, { quoteId } as never, JOANA)).toBe(pixPaymentId);
  await reaches(ada, pixPaymentId, 'completed');
  await sql`delete from pix_lookups where id = ${lookupId}`.execute(db());
  expect(must(await confirm(ada, quoteId, lookupId)).pixPaymentId).toBe(pixPaymentId);
});

test('a night deletes look-ups that no payment has used within a day, page by page', async () => {
  const [used, unused, fresh] = [await lookUpJoana(ada), await lookUpJoana(ada), await lookUpJoana(ada)];
  await reaches(ada, await pay(ada, await quote(ada, 3), { ...JOANA, lookupId: used }), 'completed');
  await sql`update pix_lookups set created_at = now() - interval '25 hours'
    where id in (${used}, ${unused})`.execute(db());
  await sql`update pix_lookups set created_at = now() - interval '23 hours' where id = ${fresh}`.execute(
    db(),
  );
  await fill(
    world.databaseUrl,
    `insert into pix_lookups
    select copy.* from (select * from pix_lookups where id = '${unused}') as lookup,
      generate_series(1, 2500) as number,
      jsonb_populate_record(null::pix_lookups, to_jsonb(lookup) || jsonb_build_object('id', md5(number::text)::uuid)) as copy`,
  );
  const { run } = await runJob(world.service.app, 'purge-payloads', { run: randomUUID() });
  expect(run.counts).toMatchObject({ 'unused look-ups removed': 2_501 });
  const kept = new Set((await lookupsOf(ada)).map(({ id }) => id));
  expect([used, unused, fresh].map((id) => kept.has(id))).toEqual([true, false, true]);
});

test('closing an account deletes its unused look-ups', async () => {
  const bea = await verified(world);
  await lookUpJoana(bea);
  must(await bea.api.DELETE('/me'));
  expect(await lookupsOf(bea)).toEqual([]);
  expect(refusalIn(await lookUp(bea, JOANA))).toEqual([403, 'account_closed']);
});

const recordsOf = async ({ userId }: Person): Promise<number> =>
  (
    await byTable(db())
      .selectFrom('audit_events')
      .select('id')
      .where('user_id', '=', userId)
      .where('action', '=', 'name-budget.spent')
      .execute()
  ).length;
