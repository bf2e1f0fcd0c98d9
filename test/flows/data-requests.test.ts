// Data subject requests, and the guarantees of an Idempotency-Key.
import { createHash, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { DataRequestInput } from '../../openapi/generated/openapi.ts';
import { opsJson } from '../ops/support.ts';
import { byTable } from '../support/by-table.ts';
import { call } from '../support/http.ts';
import { must, type Person, refusalIn, signUp } from '../support/person.ts';
import { useWorld } from '../support/use-world.ts';

let ada: Person;

const { world } = useWorld();
beforeAll(async () => {
  ada = await signUp(world);
});

const ask = ({ api }: Person, body: DataRequestInput, key?: string) =>
  api.POST('/me/data-request', { body, ...(key && { params: { header: { 'Idempotency-Key': key } } }) });
const count = async ({ userId }: Person): Promise<number> =>
  (
    await byTable(world.service.app.db)
      .selectFrom('data_requests')
      .select('id')
      .where('user_id', '=', userId)
      .execute()
  ).length;

test.each(['access', 'rectification', 'portability', 'restriction', 'objection'] as const)(
  'a request for %s is recorded as open with the time of its receipt',
  async (type) => {
    const before = Date.now();
    const answer = await ask(ada, { type });
    expect(answer.response.status).toBe(201);
    expect(must(answer)).toMatchObject({ type, status: 'open' });
    const receivedAt = Date.parse(must(answer).receivedAt);
    expect(receivedAt).toBeGreaterThanOrEqual(before);
    expect(receivedAt).toBeLessThanOrEqual(Date.now());
  },
);

/** Makes nine data requests without a key and a tenth under a key. Returns the id of the tenth. */
const fill = async (person: Person): Promise<string> => {
  for (let made = 0; made < 9; made += 1) must(await ask(person, { type: 'access' }));
  return must(await ask(person, { type: 'access' }, 'the-tenth')).id;
};

test('a user with ten open data requests is refused another one until an operator closes one', async () => {
  const dan = await signUp(world);
  const tenth = await fill(dan);
  for (const type of ['access', 'objection'] as const)
    expect(refusalIn(await ask(dan, { type }))).toEqual([409, 'too_many_data_requests']);
  expect(await count(dan)).toBe(10);
  const close = ['data-requests', 'close', tenth, '--reason', 'answered'];
  expect(await opsJson(world, ...close)).toMatchObject({ changed: true });
  expect((await ask(dan, { type: 'objection' })).response.status).toBe(201);
  expect(refusalIn(await ask(dan, { type: 'objection' }))).toEqual([409, 'too_many_data_requests']);
});

test('ten of a user’s concurrent data requests are accepted, and the others are refused', async () => {
  const dan = await signUp(world);
  const answers = await Promise.all(Array.from({ length: 30 }, () => ask(dan, { type: 'access' })));
  expect(answers.filter(({ response }) => response.status === 201)).toHaveLength(10);
  expect(answers.filter(({ response }) => response.status === 409)).toHaveLength(20);
  expect(await count(dan)).toBe(10);
});

test('ten open data requests block neither the repetition of one of them nor the requests of other users', async () => {
  const dan = await signUp(world);
  const tenth = await fill(dan);
  const again = await ask(dan, { type: 'access' }, 'the-tenth');
  expect([again.response.status, must(again).id]).toEqual([200, tenth]);
  expect((await ask(await signUp(world), { type: 'access' })).response.status).toBe(201);
});

test('an erasure cannot be requested as a data request', async () => {
  const json = { type: 'erasure' };
  expect((await call(world, 'POST', '/me/data-request', { token: ada.token, json })).status).toBe(400);
});

test('long notes are accepted, and their column does not contain them in plain text', async () => {
  const notes = `My secret wish. ${'é'.repeat(100_000)}`;
  const { id } = must(await ask(ada, { type: 'access', notes }));
  const row = await byTable(world.service.app.db)
    .selectFrom('data_requests')
    .select('notes_sealed')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  expect(row.notes_sealed?.length).toBeGreaterThan(200_000);
  expect(Buffer.from(row.notes_sealed ?? []).includes('secret')).toBe(false);
});

describe('an Idempotency-Key', () => {
  beforeAll(async () => {
    ada = await signUp(world);
  });

  test('repeating a request under its Idempotency-Key returns the original, and another request under the key is refused', async () => {
    const key = randomUUID();
    const first = await ask(ada, { type: 'access', notes: 'a' }, key);
    const again = await ask(ada, { type: 'access', notes: 'a' }, key);
    expect([first.response.status, again.response.status]).toEqual([201, 200]);
    expect(must(again)).toEqual(must(first));
    for (const other of [{ type: 'access' }, { type: 'objection', notes: 'a' }] as DataRequestInput[])
      expect(refusalIn(await ask(ada, other, key))).toEqual([422, 'idempotency_key_reused']);
  });

  test('the stored hash of one request differs between users, and is not a plain hash of it', async () => {
    const body = { type: 'access', notes: 'a' } as const;
    const people = [await signUp(world), await signUp(world)];
    const hashes: string[] = [];
    for (const person of people) {
      must(await ask(person, body, 'the-same-key'));
      const { request_hash: hash } = await byTable(world.service.app.db)
        .selectFrom('idempotency_keys')
        .select('request_hash')
        .where('user_id', '=', person.userId)
        .executeTakeFirstOrThrow();
      hashes.push(Buffer.from(hash).toString('hex'));
    }
    expect(new Set(hashes).size).toBe(2);
    const plain = createHash('sha256').update('[null,[["notes","a"],["type","access"]]]').digest('hex');
    for (const hash of hashes) expect(hash).not.toContain(plain);
  });

  test('a repetition under an Idempotency-Key may differ in white space and in the order of names', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const send = (body: string) =>
      call(world, 'POST', '/me/data-request', { token: ada.token, body, headers });
    const first = await send('{"type":"access","notes":"a"}');
    const again = await send('{ "notes": "\\u0061", "type": "access" }');
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.text).toBe(first.text);
  });

  test('concurrent requests under one Idempotency-Key create one data request', async () => {
    const bea = await signUp(world);
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(bea, { type: 'access' }, key)));
    expect(answers.filter(({ response }) => response.status === 201)).toHaveLength(1);
    expect(answers.filter(({ response }) => response.status === 200)).toHaveLength(9);
    expect(new Set(answers.map((answer) => must(answer).id)).size).toBe(1);
    expect(await count(bea)).toBe(1);
  });

  test('an Idempotency-Key belongs to one user, and requests without a key are always new', async () => {
    const [bea, cy] = [await signUp(world), await signUp(world)];
    const key = randomUUID();
    for (const person of [bea, cy]) {
      expect((await ask(person, { type: 'access' }, key)).response.status).toBe(201);
      expect((await ask(person, { type: 'access' })).response.status).toBe(201);
      expect(await count(person)).toBe(2);
    }
  });

  test('an Idempotency-Key can be used again after a refusal', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const send = (json: object) =>
      call(world, 'POST', '/me/data-request', { token: ada.token, json, headers });
    expect((await send({ type: 'nonsense' })).status).toBe(400);
    expect((await send({ type: 'access' })).status).toBe(201);
  });
});
