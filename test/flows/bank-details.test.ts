// Users save, reveal, replace and validate the details of their own bank account. Responses mask them.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { BankDetailsRequest } from '../../openapi/generated/openapi.ts';
import { runJob } from '../../src/jobs/run-by-hand.ts';
import { opsHere } from '../ops/support.ts';
import { eur, gbp } from '../support/bank-details.ts';
import { byTable } from '../support/by-table.ts';
import { call, faultIn } from '../support/http.ts';
import { capturedAt } from '../support/leak-watch.ts';
import { must, type Person, signUp, verified, withdraw } from '../support/person.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';

const maskedGbp = { ...gbp, accountNumber: '****6819', sortCode: '60-**-13' };
const maskedEur = { ...eur, iban: 'DE89**************3000', bic: 'COBA*******' };

const { world, proxy } = useWorld({ proxy: true });

const save = ({ api }: Person, body: BankDetailsRequest) => api.POST('/bank-details', { body });
const saved = async ({ api }: Person, reveal = false) =>
  must(await api.GET('/bank-details', { params: { query: { reveal } } }));
const validated = ({ api }: Person) =>
  until(
    async () => must(await api.GET('/bank-details')),
    (all) => all.length > 0 && all.every(({ validationStatus }) => validationStatus !== null),
  );
const versionOf = async ({ userId }: Person) => {
  const bankDetails = byTable(world.service.app.db).selectFrom('bank_details').select('version');
  return (await bankDetails.where('user_id', '=', userId).executeTakeFirstOrThrow()).version;
};
const validationsOf = (id: string) =>
  byTable(world.service.app.db).selectFrom('effects').select('seq').where('subject_id', '=', id).execute();
/** Sets the validation of these bank details back by a minute. */
const backdateValidation = (id: string) =>
  byTable(world.service.app.db)
    .updateTable('bank_details')
    .set({ validated_at: sql<Date>`now() - interval '1 minute'` })
    .where('id', '=', id)
    .execute();
const attemptsOf = async (id: string) =>
  (
    await byTable(world.service.app.db)
      .selectFrom('effects')
      .select('attempts')
      .where('subject_id', '=', id)
      .execute()
  ).map(({ attempts }) => attempts);
const rowOf = ({ userId }: Person) =>
  byTable(world.service.app.db)
    .selectFrom('bank_details')
    .select(['id', 'details_sealed', 'version'])
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
const putBack = ({ userId }: Person, former: Partial<Awaited<ReturnType<typeof rowOf>>>) =>
  byTable(world.service.app.db)
    .updateTable('bank_details')
    .set(former)
    .where('user_id', '=', userId)
    .execute();
const revealsOf = (person: Person) =>
  byTable(world.service.app.db)
    .selectFrom('audit_events')
    .select(['action', 'request_id'])
    .where('user_id', '=', person.userId)
    .where('action', '=', 'bank-details.revealed')
    .orderBy('id')
    .execute();

test('saved bank details are masked in the response, and each currency has its own', async () => {
  const ada = await signUp(world);
  expect(await saved(ada)).toEqual([]);
  for (const [body, masked] of [
    [gbp, maskedGbp],
    [{ ...eur, iban: 'de89 3704 0044 0532 0130 00', bic: 'cobadeffxxx' }, maskedEur],
  ] as const) {
    const answer = await save(ada, body);
    expect(answer.response.status).toBe(201);
    expect(must(answer)).toMatchObject({ ...masked, validatedAt: null, validationStatus: null });
  }
  expect((await saved(ada)).map(({ currency }) => currency).toSorted()).toEqual(['EUR', 'GBP']);
});

test('saving other bank details replaces the former ones and has them validated again', async () => {
  const ada = await signUp(world);
  const first = must(await save(ada, { ...gbp, accountHolderName: 'Ada Mismatch' }));
  await validated(ada);
  const second = await save(ada, { ...gbp, accountNumber: '00000001' });
  expect(second.response.status).toBe(200);
  expect(must(second)).toMatchObject({ id: first.id, accountNumber: '****0001', validationStatus: null });
  expect((await validated(ada)).map(({ validationStatus }) => validationStatus)).toEqual(['match']);
});

test('saving the same bank details again changes nothing', async () => {
  const ada = await signUp(world);
  must(await save(ada, eur));
  const [before] = await validated(ada);
  const again = await save(ada, { ...eur, iban: 'DE89 3704 0044 0532 0130 00' });
  expect(again.response.status).toBe(200);
  expect(must(again)).toEqual(before);
});

test('the same details saved again a minute later are validated again and stay the same destination', async () => {
  const ada = await signUp(world);
  const { id } = must(await save(ada, gbp));
  await validated(ada);
  await backdateValidation(id);
  const lie = proxy.lie({
    operation: 'createBankAccountValidation',
    change: (truth) => ({ ...truth, status: 'NO_MATCH' }),
  });
  expect(must(await save(ada, gbp)).validationStatus).toBe('match');
  await until(
    () => saved(ada),
    ([row]) => row?.validationStatus === 'no_match',
  );
  lie.heal();
  expect(await versionOf(ada)).toBe(1);
});

test('the same details are validated at most once a minute, and changed details immediately', async () => {
  const ada = await signUp(world);
  const { id } = must(await save(ada, gbp));
  for (let saves = 0; saves < 5; saves += 1) must(await save(ada, gbp));
  expect(await validationsOf(id)).toHaveLength(1);
  must(await save(ada, { ...gbp, accountNumber: '00000001' }));
  expect(await validationsOf(id)).toHaveLength(2);
});

test('the same details are validated again immediately if the bank could not answer', async () => {
  const ada = await signUp(world);
  const unavailable = { ...gbp, accountHolderName: 'Ada Unavailable' };
  const { id } = must(await save(ada, unavailable));
  const [first] = await validated(ada);
  expect(first?.validationStatus).toBe('unavailable');
  const truth = proxy.lie({
    operation: 'createBankAccountValidation',
    change: (answer) => ({ ...answer, status: 'MATCH' }),
  });
  must(await save(ada, unavailable));
  await until(
    () => saved(ada),
    ([row]) => row?.validationStatus === 'match',
  );
  truth.heal();
  // The answer counts.
  must(await save(ada, unavailable));
  expect(await validationsOf(id)).toHaveLength(2);
});

test('the same details are validated again immediately if the call to the provider failed', async () => {
  const ada = await signUp(world);
  const outage = proxy.spoil({
    operation: 'createBankAccountValidation',
    spoilt: { status: 503 },
    forwarded: false,
    times: 1_000,
  });
  const { id } = must(await save(ada, gbp));
  await until(
    () => attemptsOf(id),
    ([attempts = 0]) => attempts > 0,
  );
  outage.heal();
  must(await save(ada, gbp));
  expect(await validationsOf(id)).toHaveLength(2);
  const [row] = await validated(ada);
  expect(row?.validationStatus).toBe('match');
});

test('a save that other saves overtake each time ends after three tries', async () => {
  const ada = await signUp(world);
  must(await save(ada, gbp));
  const { app } = world.service;
  const { sealer } = app;
  let tries = 0;
  app.sealer = {
    ...sealer,
    seal: async (...of) => {
      tries += 1;
      await sql`update bank_details set version = version + 1 where user_id = ${ada.userId}`.execute(app.db);
      if (tries > 10) throw new Error('the save does not end');
      return sealer.seal(...of);
    },
  };
  const answer = await save(ada, { ...gbp, accountNumber: '00000001' });
  app.sealer = sealer;
  expect(answer.response.status).toBe(200);
  // The last try seals a second time, for the version that it finds under the lock.
  expect(tries).toBe(4);
  expect(await saved(ada, true)).toMatchObject([{ accountNumber: '00000001' }]);
});

test.for<[string, Parameters<typeof save>[1][], number]>([
  ['the same details', Array.from({ length: 6 }, () => gbp), 1],
  ['different details', [gbp, { ...gbp, accountNumber: '00000001' }], 2],
])('concurrent saves of %s create one row', async ([_what, bodies, versions]) => {
  const ada = await signUp(world);
  const answers = await Promise.all(bodies.map((body) => save(ada, body)));
  const statuses = answers.map(({ response }) => response.status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(1);
  expect(statuses.filter((status) => status === 200)).toHaveLength(bodies.length - 1);
  expect(await versionOf(ada)).toBe(versions);
});

test.for([
  [{ ...eur, iban: 'DE89370400440532013001' }, '/body/iban'],
  [{ ...eur, iban: 'XX89370400440532013000' }, '/body/iban'],
  [{ ...eur, iban: 'DE89\u0000370400440532013000' }, '/body/iban'],
  [{ ...eur, iban: 'D'.repeat(10_000) }, '/body/iban'],
  [{ ...eur, bic: 'COBADE' }, '/body/bic'],
  [{ ...eur, bic: 'COBADEFF\u0000' }, '/body/bic'],
  [{ ...eur, sortCode: '60-16-13' }, '/body/sortCode'],
  [{ ...gbp, sortCode: '601613' }, '/body/sortCode'],
  [{ ...gbp, sortCode: '60-16-1a' }, '/body/sortCode'],
  [{ ...gbp, accountNumber: '3192681' }, '/body/accountNumber'],
  [{ ...gbp, accountNumber: 31_926_819 }, '/body/accountNumber'],
  [{ ...gbp, accountNumber: '٣١٩٢٦٨١٩' }, '/body/accountNumber'],
  [{ ...gbp, accountHolderName: '   ' }, '/body/accountHolderName'],
  [{ ...gbp, accountHolderName: 'A\u0000' }, '/body/accountHolderName'],
  [{ ...gbp, accountHolderName: 'x'.repeat(141) }, '/body/accountHolderName'],
  [{ ...gbp, accountHolderName: undefined }, '/body/accountHolderName'],
  [{ ...gbp, currency: 'USD' }, '/body/currency'],
  [{ ...gbp, currency: undefined }, '/body/currency'],
  [{ ...gbp, currency: '__proto__' }, '/body/currency'],
])('bank details with a fault are refused, and the answer names the field: %j', async ([json, path]) => {
  const ada = await signUp(world);
  const answer = await call(world, 'POST', '/bank-details', { token: ada.token, json });
  expect(faultIn(answer)).toEqual([400, 'invalid_request', path]);
  expect(await saved(ada)).toEqual([]);
});

describe('bank details whose former value was restored in the database', () => {
  const other = { ...gbp, accountNumber: '00000001' };

  test('a former encrypted value in a newer row cannot be decrypted: reads and withdrawals answer 500 until the next save', async () => {
    const ada = await verified(world, { deposit: '100.00' });
    must(await save(ada, other));
    const { details_sealed } = await rowOf(ada);
    must(await save(ada, gbp));
    await putBack(ada, { details_sealed });
    for (const answer of [
      await call(world, 'GET', '/bank-details', { token: ada.token }),
      await call(world, 'POST', '/withdraws', { token: ada.token, json: { amount: 1_000 } }),
    ])
      expect(faultIn(answer)).toEqual([500, 'internal_error']);
    must(await save(ada, gbp));
    expect(await saved(ada, true)).toMatchObject([gbp]);
    expect(await versionOf(ada)).toBe(3);
    await withdraw(ada, 1_000);
  });

  test('a former row with its former version can be decrypted, and the audit record shows that it was restored', async () => {
    const ada = await signUp(world);
    must(await save(ada, other));
    const former = await rowOf(ada);
    must(await save(ada, gbp));
    expect(await opsHere(world.service.app, ['audit', 'verify'])).toMatchObject({ code: 0 });
    await putBack(ada, former);
    expect(await saved(ada, true)).toMatchObject([other]);
    const sentence = `bank details ${former.id} have version 1, and version 2 was recorded`;
    expect(await opsHere(world.service.app, ['audit', 'verify'])).toMatchObject({
      code: 1,
      err: expect.stringContaining(sentence) as string,
    });
    const { run } = await runJob(world.service.app, 'audit-verify', { run: randomUUID() });
    expect(run.counts).toMatchObject({ breaks: 1 });
    expect(capturedAt('the log')).toContain(sentence);
    // Saving again writes a version that was not recorded before.
    must(await save(ada, gbp));
    must(await save(ada, other));
    expect(await opsHere(world.service.app, ['audit', 'verify'])).toMatchObject({ code: 0 });
  });
});

test('a reveal shows the full details, is not cacheable and is audited', async () => {
  const ada = await signUp(world);
  must(await save(ada, gbp));
  expect(await saved(ada)).toMatchObject([maskedGbp]);
  expect(await revealsOf(ada)).toEqual([]);
  for (const requestId of ['first', 'second']) {
    const headers = { 'x-request-id': requestId };
    const answer = await call(world, 'GET', '/bank-details?reveal=true', { token: ada.token, headers });
    expect(answer.body).toMatchObject([gbp]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  }
  // The second reveal follows within a minute, so it is only counted (see test/security/audit-refusals.test.ts).
  expect(await revealsOf(ada)).toHaveLength(1);
  expect(await saved(await signUp(world), true)).toEqual([]);
});

test.for<[string, string]>([
  ['Ada Silva', 'match'],
  ['Ada Close', 'close_match'],
  ['Ada Mismatch', 'no_match'],
  ['Ada Unavailable', 'unavailable'],
])('the validation status of the account holder name %s is %s', async ([accountHolderName, status]) => {
  const ada = await signUp(world);
  const before = Date.now();
  must(await save(ada, { ...gbp, accountHolderName }));
  const [row] = await validated(ada);
  expect(row?.validationStatus).toBe(status);
  expect(Date.parse(row?.validatedAt ?? '')).toBeGreaterThanOrEqual(before);
});
