// The name behind a bank account: checks before a withdrawal, what they cost, and when a withdrawal needs one.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { magicCode } from '../../sandbox/magic.ts';
import { runJob } from '../../src/jobs/run-by-hand.ts';
import { byTable } from '../support/by-table.ts';
import { call, faultIn } from '../support/http.ts';
import { idMadeAgo } from '../support/id-made-ago.ts';
import { markPersonal } from '../support/leak-watch.ts';
import { must, type Person, refusalIn, signUp, verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';
import type { World } from '../support/world.ts';

const { world, proxy, ada, db } = useWorld({
  proxy: true,
  env: { WITHDRAW_NAME_CHECK: 'require' },
  deposit: '500.00',
});

const SECONDS_PER_TOKEN = 30;
markPersonal({ suggestedName: 'Ada Lima' });

/** The sandbox's answers by the name of the account holder. */
const holders = {
  match: 'Ada Silva',
  close_match: 'Ada Close',
  no_match: 'Ada Mismatch',
  not_possible: 'Ada Impossible',
  unavailable: 'Ada Unavailable',
};
type Status = keyof typeof holders;

const details = (accountHolderName: string, sortCode = '60-16-13') =>
  ({ currency: 'GBP', accountHolderName, accountNumber: '31926819', sortCode }) as const;
const save = async ({ api }: Person, name: string) =>
  must(await api.POST('/bank-details', { body: details(name) }));
const check = ({ api }: Person) => api.POST('/bank-details/checks', { body: { currency: 'GBP' } });
const withdraw = ({ api }: Person, amount: number, acceptedCheckId?: string, key?: string) =>
  api.POST('/withdraws', {
    body: { amount, ...(acceptedCheckId !== undefined && { acceptedCheckId }) },
    ...(key !== undefined && { params: { header: { 'Idempotency-Key': key } } }),
  });
const REQUIRED = [409, 'name_check_required'];

/** Returns a person with money, details held by this name, and a check of them. */
async function checked(status: Status, inWorld: World = world) {
  const person = await verified(inWorld, { deposit: '100.00' });
  await save(person, holders[status]);
  return { person, ...must(await check(person)) };
}

const checksOf = ({ userId }: Person) =>
  byTable(db())
    .selectFrom('name_checks')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .execute();
const withdrawsOf = async ({ api }: Person) => must(await api.GET('/withdraws'));
const expire = (id: string) =>
  sql`update name_checks set expires_at = now() - interval '1 second' where id = ${id}`.execute(db());

/** Returns how many tokens the work cost a user who had 90. */
async function tokensOf({ userId }: Person, work: () => Promise<unknown>): Promise<number> {
  await leave(userId, 90);
  return tokensSpent(userId, work);
}

/** Returns how many tokens the work cost. */
async function tokensSpent(userId: string, work: () => Promise<unknown>): Promise<number> {
  const fullAt = async () => {
    const budget = byTable(db()).selectFrom('name_budgets').select('full_at').where('user_id', '=', userId);
    return (await budget.executeTakeFirstOrThrow()).full_at.getTime();
  };
  const before = await fullAt();
  await work();
  return ((await fullAt()) - before) / (SECONDS_PER_TOKEN * 1_000);
}

/** Leaves a number of tokens. */
const leave = (userId: string, tokens: number) =>
  sql`
    insert into name_budgets (user_id, full_at)
    values (${userId}, now() + make_interval(secs => ${(100 - tokens) * SECONDS_PER_TOKEN}::int4))
    on conflict (user_id) do update set full_at = excluded.full_at`.execute(db());

describe('a check', () => {
  test('has the name that the bank suggests after a close match, and the name can be taken', async () => {
    const bea = await verified(world);
    await save(bea, 'Ada Close');
    const close = must(await check(bea));
    expect(close).toEqual({
      checkId: expect.any(String),
      validationStatus: 'close_match',
      suggestedName: 'Ada Lima',
      expiresAt: expect.any(String),
    });
    const { rows } =
      await sql`select expires_at - created_at = interval '15 minutes' as "isQuarter", expires_at as "expiresAt"
      from name_checks where id = ${close.checkId}`.execute(db());
    expect(rows).toEqual([{ isQuarter: true, expiresAt: new Date(close.expiresAt) }]);
    await save(bea, close.suggestedName ?? '');
    expect(must(await check(bea))).toMatchObject({ validationStatus: 'match', suggestedName: null });
  });

  test.for([
    ['match', 1],
    ['close_match', 1],
    ['no_match', 20],
    ['not_possible', 0],
    ['unavailable', 0],
  ] as const)('with the result %s costs %i tokens', async ([status, tokens]) => {
    const bea = await verified(world);
    await save(bea, holders[status]);
    const asking = async () => expect(must(await check(bea)).validationStatus).toBe(status);
    expect(await tokensOf(bea, asking)).toBe(tokens);
  });

  test.for([
    ['Ada Mismatch', 'no_match'],
    ['Ada Silva', 'match'],
  ] as const)('of %s tells no name, although the provider has one', async ([name, status]) => {
    const bea = await verified(world);
    await save(bea, name);
    const lie = proxy.lie({
      operation: 'createBankAccountValidation',
      change: (truth) => ({ ...truth, matched_name: 'Ada Lima' }),
    });
    expect(must(await check(bea))).toMatchObject({ validationStatus: status, suggestedName: null });
    lie.heal();
    expect((await checksOf(bea)).map((one) => one.suggested_name_sealed)).toEqual([null]);
  });

  test.for([null, '', ' \u200b ', `Ada\u202eLima`, 'L'.repeat(141)])(
    'with the suggested name %j suggests none',
    async (matched_name) => {
      const bea = await verified(world);
      await save(bea, 'Ada Close');
      const lie = proxy.lie({
        operation: 'createBankAccountValidation',
        change: (truth) => ({ ...truth, matched_name }),
      });
      expect(must(await check(bea))).toMatchObject({ validationStatus: 'close_match', suggestedName: null });
      lie.heal();
    },
  );

  test.for([404, 405, 501])(
    'is not offered if the provider answers %i, nothing is spent or stored, and a withdrawal needs none',
    async (status) => {
      const bea = await verified(world, { deposit: '50.00' });
      await save(bea, 'Ada Silva');
      const lacking = proxy.spoil({
        operation: 'createBankAccountValidation',
        spoilt: { status, code: 'nothing' },
        forwarded: false,
        times: 1_000,
      });
      const asking = async () => expect(refusalIn(await check(bea))).toEqual([409, 'not_offered']);
      expect(await tokensOf(bea, asking)).toBe(0);
      expect(await checksOf(bea)).toEqual([]);
      expect(must(await withdraw(bea, 1_000)).nameCheck).toBeNull();
      lacking.heal();
      // The provider answers again, so checks are required again.
      must(await check(bea));
      await save(bea, 'Ada Close');
      expect(refusalIn(await withdraw(bea, 1_100))).toEqual(REQUIRED);
    },
  );

  test.for([
    'drop',
    'broken',
    'mismatched',
    { status: 500 },
    { status: 422, code: 'rejected' },
    { status: 429, code: 'rate_limited', retryAfter: 1 },
  ] as const)('that the provider spoils with %j is unavailable, and can be accepted', async (spoilt) => {
    const bea = await verified(world, { deposit: '50.00' });
    await save(bea, 'Ada Silva');
    await until(
      () => bea.ponte.bankDetails(),
      ([row]) => row?.validationStatus === 'match',
    );
    proxy.spoil({ operation: 'createBankAccountValidation', spoilt, forwarded: true });
    let checkId = '';
    const asking = async () => {
      const { status, body } = await call(world, 'POST', '/bank-details/checks', {
        token: bea.token,
        json: { currency: 'GBP' },
      });
      expect([status, body['code']]).toEqual([502, 'name_check_unavailable']);
      checkId = String(body['checkId']);
    };
    expect(await tokensOf(bea, asking)).toBe(0);
    expect(refusalIn(await withdraw(bea, 1_000))).toEqual(REQUIRED);
    expect(must(await withdraw(bea, 1_000, checkId)).nameCheck).toBe('unavailable');
  });

  test('needs a token, an active account, and saved details in the currency', async () => {
    const bob = await signUp(world);
    const refused = await call(world, 'POST', '/bank-details/checks', {
      token: bob.token,
      json: { currency: 'GBP' },
    });
    expect(faultIn(refused)).toEqual([409, 'account_not_active', '/verification']);
    const bea = await verified(world);
    expect(refusalIn(await check(bea))).toEqual([409, 'bank_details_required']);
    await save(bea, 'Ada Silva');
    const inEuros = { currency: 'EUR' } as const;
    expect(refusalIn(await bea.api.POST('/bank-details/checks', { body: inEuros }))).toEqual([
      409,
      'bank_details_required',
    ]);
    await leave(bea.userId, 0);
    expect(refusalIn(await check(bea))).toEqual([429, 'lookup_budget_spent']);
  });

  test('does not change what the check of the saved details said', async () => {
    const bea = await verified(world);
    await save(bea, 'Ada Silva');
    const before = await until(
      () => bea.ponte.bankDetails(),
      ([row]) => row?.validationStatus === 'match',
    );
    const lie = proxy.lie({
      operation: 'createBankAccountValidation',
      change: (truth) => ({ ...truth, status: 'NO_MATCH' }),
    });
    expect(must(await check(bea)).validationStatus).toBe('no_match');
    lie.heal();
    expect(await bea.ponte.bankDetails()).toEqual(before);
  });
});

async function checkWithoutTokens({ token, userId }: Person) {
  await leave(userId, 0);
  return call(world, 'POST', '/bank-details/checks', { token, json: { currency: 'GBP' } });
}

describe('a check of a user without tokens', () => {
  test('asks nobody, is stored once, and can be accepted', async () => {
    const bea = await verified(world, { deposit: '50.00' });
    await save(bea, 'Ada Silva');
    await until(
      () => bea.ponte.bankDetails(),
      ([row]) => row?.validationStatus === 'match',
    );
    const checks = proxy.spoil({ operation: 'createBankAccountValidation', spoilt: 'drop', forwarded: true });
    const refused = await Promise.all([
      checkWithoutTokens(bea),
      checkWithoutTokens(bea),
      checkWithoutTokens(bea),
    ]);
    expect(checks.hits()).toBe(0);
    checks.heal();
    const [{ id } = { id: '' }, ...more] = await checksOf(bea);
    expect(more).toEqual([]);
    for (const { status, body } of refused)
      expect([status, body['code'], body['checkId']]).toEqual([429, 'lookup_budget_spent', id]);
    expect(refusalIn(await withdraw(bea, 1_000))).toEqual(REQUIRED);
    expect(must(await withdraw(bea, 1_000, id)).nameCheck).toBe('unavailable');
  });

  test.for(['match', 'close_match', 'no_match', 'not_possible'] as const)(
    'is the last one, with the result %s, until it expires',
    async (status) => {
      const { person, ...last } = await checked(status);
      const { body } = await checkWithoutTokens(person);
      expect(body).toEqual(last);
      await expire(last.checkId);
      expect((await checkWithoutTokens(person)).body).toMatchObject({ code: 'lookup_budget_spent' });
    },
  );

  test('is not one of other details', async () => {
    const { person, checkId } = await checked('match');
    await save(person, 'Ada Close');
    const { status, body } = await checkWithoutTokens(person);
    expect([status, body['code']]).toEqual([429, 'lookup_budget_spent']);
    expect(body['checkId']).not.toBe(checkId);
    expect(must(await withdraw(person, 1_000, String(body['checkId']))).nameCheck).toBe('unavailable');
  });
});

test('guesses at keys, codes and names of accounts share the tokens of a day', async () => {
  const bea = await verified(world);
  await save(bea, holders.no_match);
  await leave(bea.userId, 90);
  const guesses = {
    key: () =>
      bea.api.POST('/pix/recipients/lookup', {
        body: { pixKey: 'unknown@pix.example', pixKeyType: 'email' },
      }),
    code: () => bea.api.POST('/pix/codes', { body: { code: magicCode('fixed').replace('fixed', 'fixes') } }),
    name: () => check(bea),
  };
  const spentBy = async (guess: keyof typeof guesses) =>
    (await tokensSpent(bea.userId, () => guesses[guess]())) === 20;
  for (const guess of ['key', 'code', 'name', 'key', 'code'] as const)
    expect([guess, await spentBy(guess)]).toEqual([guess, true]);
  const isRefused = async () => {
    const codes = await Promise.all([guesses.key(), guesses.code()]);
    return codes.map((answer) => refusalIn(answer)[1]);
  };
  expect(await isRefused()).toEqual(['lookup_budget_spent', 'lookup_budget_spent']);
  expect(must(await check(bea)).validationStatus).toBe('no_match');
  // The budget was at -10. Ten minutes later, 20 tokens are back: one more guess.
  await leave(bea.userId, 10);
  expect(await spentBy('key')).toBe(true);
  expect(await isRefused()).toEqual(['lookup_budget_spent', 'lookup_budget_spent']);
});

test('saved details whose bank cannot check names say so', async () => {
  const bea = await verified(world);
  await save(bea, 'Ada Impossible');
  const [saved] = await until(
    () => bea.ponte.bankDetails(),
    ([row]) => typeof row?.validationStatus === 'string',
  );
  expect(saved?.validationStatus).toBe('not_possible');
});

describe('if checks are required, a withdrawal', () => {
  test('needs nothing after a match, and keeps it', async () => {
    const { person } = await checked('match');
    expect(must(await withdraw(person, 1_000)).nameCheck).toBe('match');
    expect((await withdrawsOf(person)).map(({ nameCheck }) => nameCheck)).toEqual(['match']);
  });

  test.for(['close_match', 'no_match', 'not_possible', 'unavailable'] as const)(
    'after %s needs the check that the user accepted, and keeps its result',
    async (status) => {
      const { person, checkId } = await checked(status);
      expect(refusalIn(await withdraw(person, 1_000))).toEqual(REQUIRED);
      expect(await withdrawsOf(person)).toEqual([]);
      expect(must(await withdraw(person, 1_000, checkId.toUpperCase())).nameCheck).toBe(status);
    },
  );

  test('without a check is refused', async () => {
    const bea = await verified(world, { deposit: '50.00' });
    await save(bea, 'Ada Silva');
    await until(
      () => bea.ponte.bankDetails(),
      ([row]) => row?.validationStatus === 'match',
    );
    expect(refusalIn(await withdraw(bea, 1_000))).toEqual(REQUIRED);
  });

  test('needs another check if the details were replaced, or if the check has expired', async () => {
    const { person, checkId } = await checked('match');
    await expire(checkId);
    expect(refusalIn(await withdraw(person, 1_000))).toEqual(REQUIRED);
    expect(refusalIn(await withdraw(person, 1_000, checkId))).toEqual(REQUIRED);
    must(await check(person));
    const body = details('Ada Silva', '60-16-14');
    must(await person.api.POST('/bank-details', { body }));
    expect(refusalIn(await withdraw(person, 1_000))).toEqual(REQUIRED);
    const close = await checked('close_match');
    await save(close.person, 'Ada Mismatch');
    expect(refusalIn(await withdraw(close.person, 1_000, close.checkId))).toEqual(REQUIRED);
  });

  test('is refused if a later check was no match, although an earlier one was', async () => {
    const { person } = await checked('match');
    const lie = proxy.lie({
      operation: 'createBankAccountValidation',
      change: (truth) => ({ ...truth, status: 'NO_MATCH' }),
    });
    const { checkId } = must(await check(person));
    lie.heal();
    expect(refusalIn(await withdraw(person, 1_000))).toEqual(REQUIRED);
    expect(must(await withdraw(person, 1_000, checkId)).nameCheck).toBe('no_match');
  });

  test('does not take the check of another user, or an unknown one', async () => {
    const [mine, theirs] = [await checked('close_match'), await checked('close_match')];
    expect(refusalIn(await withdraw(mine.person, 1_000, theirs.checkId))).toEqual([404, 'not_found']);
    await world.service.app.auditLog.flush(true);
    const tried = await byTable(db())
      .selectFrom('audit_events')
      .select('details')
      .where('action', '=', 'foreign-id.tried')
      .where('user_id', '=', mine.person.userId)
      .execute();
    expect(tried).toMatchObject([{ details: { target: theirs.checkId } }]);
    expect(refusalIn(await withdraw(mine.person, 1_000, randomUUID()))).toEqual([404, 'not_found']);
    expect(refusalIn(await withdraw(mine.person, 1_000, idMadeAgo({ hours: 23 })))).toEqual([
      404,
      'not_found',
    ]);
    // A check of yesterday was deleted, so it counts as expired.
    expect(refusalIn(await withdraw(mine.person, 1_000, idMadeAgo({ hours: 25 })))).toEqual(REQUIRED);
  });

  test('that is repeated under its key needs no check, and may name another one', async () => {
    const { person, checkId } = await checked('close_match');
    const key = randomUUID();
    const { id } = must(await withdraw(person, 1_000, checkId, key));
    await expire(checkId);
    for (const other of [checkId, undefined, randomUUID()])
      expect(must(await withdraw(person, 1_000, other, key)).id).toBe(id);
    expect(refusalIn(await withdraw(person, 1_100, checkId, key))).toEqual([422, 'idempotency_key_reused']);
  });

  test('that is repeated without a key within a minute needs no check', async () => {
    const { person, checkId } = await checked('close_match');
    const { id } = must(await withdraw(person, 1_000, checkId));
    await expire(checkId);
    expect(must(await withdraw(person, 1_000)).id).toBe(id);
  });
});

describe('if checks only inform, a withdrawal', () => {
  const informed = useWorld({ env: { WITHDRAW_NAME_CHECK: 'inform', REQUIRE_BANK_MATCH: 'true' } });

  test('needs none, and keeps the result of the last one', async () => {
    const bea = await verified(informed.world, { deposit: '50.00' });
    await save(bea, 'Ada Close');
    expect(must(await withdraw(bea, 1_000)).nameCheck).toBeNull();
    must(await check(bea));
    expect(must(await withdraw(bea, 1_100)).nameCheck).toBe('close_match');
  });

  test('is refused after no match if a match is required, also if the user accepts it', async () => {
    const { person, checkId } = await checked('no_match', informed.world);
    expect(refusalIn(await withdraw(person, 1_000, checkId))).toEqual([409, 'bank_details_mismatch']);
  });
});

describe('if checks are off, a withdrawal', () => {
  const plain = useWorld();

  test('needs none and keeps none', async () => {
    const { person, checkId } = await checked('close_match', plain.world);
    expect(must(await withdraw(person, 1_000, checkId)).nameCheck).toBeNull();
    expect(must(await withdraw(person, 1_100)).nameCheck).toBeNull();
    expect(refusalIn(await withdraw(person, 1_200, randomUUID()))).toEqual([404, 'not_found']);
  });
});

test('a night deletes checks of more than a day ago, with the names that banks suggested', async () => {
  await save(ada, 'Ada Close');
  const [old, fresh] = [must(await check(ada)).checkId, must(await check(ada)).checkId];
  await sql`update name_checks set created_at = now() - interval '25 hours' where id = ${old}`.execute(db());
  await sql`update name_checks set created_at = now() - interval '23 hours' where id = ${fresh}`.execute(
    db(),
  );
  const { run } = await runJob(world.service.app, 'purge-payloads', { run: randomUUID() });
  expect(run.counts).toMatchObject({ 'checks of names removed': 1 });
  expect((await checksOf(ada)).map(({ id }) => id)).toEqual([fresh]);
});

test('closing an account deletes its checks', async () => {
  const { person } = await checked('close_match');
  must(await person.api.DELETE('/me'));
  expect(await checksOf(person)).toEqual([]);
  expect(refusalIn(await check(person))).toEqual([403, 'account_closed']);
});
