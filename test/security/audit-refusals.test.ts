// The audit record of refused callers: the refusal and the count, and nothing that they sent.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { verifyChain } from '../../src/audit/chain.ts';
import { newId } from '../../src/domain/ids.ts';
import { opsHere } from '../ops/support.ts';
import { gbp } from '../support/bank-details.ts';
import { byTable } from '../support/by-table.ts';
import { call } from '../support/http.ts';
import { mintIdToken, must, type Person, pay, quote, signUp } from '../support/person.ts';
import { useWorld } from '../support/use-world.ts';

let bea: Person;
/** A payment and a quote of Ada's, made before the clock is advanced. */
let payment: string;
let quoted: string;

const { world, ada } = useWorld({ deposit: '100.00' });
beforeAll(async () => {
  payment = await pay(ada, await quote(ada, 5));
  quoted = (await quote(ada, 6)).quoteId;
  bea = await signUp(world);
});

const minute = () => world.clock.advance(61_000);

type Recorded = { action: string; user_id: string | null; details: Record<string, unknown> };

/** The entries that `act` adds to the record, once everything that is counted has been written. */
async function recordedOf(act: () => Promise<unknown>): Promise<Recorded[]> {
  const { db, auditLog } = world.service.app;
  minute();
  await auditLog.flush();
  const { head } = await verifyChain(db);
  await act();
  await auditLog.flush();
  minute();
  await auditLog.flush();
  expect((await verifyChain(db)).broken).toBe(null);
  const { rows } = await sql<Recorded>`
    select action, user_id, details from audit_events where seq > ${head.seq} order by seq
  `.execute(db);
  return rows;
}

const times = async (count: number, act: () => Promise<unknown>): Promise<void> => {
  await Promise.all(Array.from({ length: count }, act));
};

const sumOf = (recorded: Recorded[]): number =>
  recorded.reduce((sum, { details }) => sum + Number(details['number']), 0);

const signIn = (idToken: string) =>
  call(world, 'POST', '/auth/session', { json: { provider: 'identity_provider_b', idToken } });

test('an accepted sign-in is logged with its user, and without the token', async () => {
  const logged = vi.spyOn(world.service.app.log, 'info');
  const token = await mintIdToken(world, 'b', { subject: 'ida' });
  const { user } = (await signIn(token)).body as { user: { id: string } };
  // Other requests are also logged meanwhile.
  const fields = logged.mock.calls.map(([line]) => line);
  expect(fields.filter(({ code }) => code === 'session.created')).toEqual([
    {
      code: 'session.created',
      requestId: expect.any(String),
      userId: user.id,
      provider: 'identity_provider_b',
    },
  ]);
  logged.mockRestore();
});

test('a refused sign-in is recorded with its provider and the reason, and without the token', async () => {
  const token = await mintIdToken(world, 'b', { subject: 'eve', audience: 'somebody-else' });
  const recorded = await recordedOf(() => signIn(token));
  expect(recorded).toMatchObject([
    {
      action: 'sign-in.refused',
      user_id: null,
      details: {
        provider: 'identity_provider_b',
        reason: 'ERR_JWT_CLAIM_VALIDATION_FAILED aud',
        number: 1,
      },
    },
  ]);
  const [, claims = '', signature = ''] = token.split('.');
  for (const part of [claims, signature, 'eve']) expect(JSON.stringify(recorded)).not.toContain(part);
});

test('a hundred refused sign-ins are two rows, which say how often', async () => {
  const recorded = await recordedOf(async () => {
    await signIn('no.token.here');
    await world.service.app.auditLog.flush();
    await times(99, () => signIn('no.token.here'));
  });
  expect(recorded.map(({ details }) => details['number'])).toEqual([1, 99]);
});

test('a sign-in to a closed account is recorded as refused', async () => {
  const subject = randomUUID();
  const claims = { subject, email: 'cleo@example.com', emailVerified: true };
  const cleo = await signUp(world, claims);
  must(await cleo.api.DELETE('/me'));
  const idToken = await mintIdToken(world, 'b', claims);
  expect(await recordedOf(() => signIn(idToken))).toMatchObject([
    { action: 'sign-in.refused', details: { reason: 'account_closed' } },
  ]);
});

test('a session of a closed account is recorded by what it was used for, and counted', async () => {
  const cleo = await signUp(world);
  must(await cleo.api.DELETE('/me'));
  const use = (path: string) => call(world, 'GET', path, { token: cleo.token });
  const recorded = await recordedOf(async () => {
    expect((await use('/me')).status).toBe(403);
    await world.service.app.auditLog.flush();
    await times(20, () => use('/me'));
    await use('/transactions');
  });
  expect(recorded).toMatchObject([
    { action: 'session.refused', user_id: cleo.userId, details: { operation: 'getMe', number: 1 } },
    { action: 'session.refused', details: { operation: 'listTransactions', number: 1 } },
    { action: 'session.refused', details: { operation: 'getMe', reason: 'account_closed', number: 20 } },
  ]);
});

test('a session that closes its account once more is not recorded as refused', async () => {
  const cleo = await signUp(world);
  must(await cleo.api.DELETE('/me'));
  expect(await recordedOf(async () => must(await cleo.api.DELETE('/me')))).toEqual([]);
});

test('a session is recorded as refused if its account is closed in the middle of a request', async () => {
  const cleo = await signUp(world);
  must(await cleo.api.PATCH('/me', { body: { homeCurrency: 'GBP' } }));
  const { provider } = world.service.app;
  const createQuote: typeof provider.createQuote = async (request) => {
    must(await cleo.api.DELETE('/me'));
    return provider.createQuote(request);
  };
  world.service.app.provider = { ...provider, createQuote };
  const recorded = await recordedOf(() => cleo.api.POST('/pix/quote', { body: { amountBrl: 10 } }));
  world.service.app.provider = provider;
  expect(recorded).toMatchObject([
    { action: 'session.refused', user_id: cleo.userId, details: { operation: 'createPixQuote' } },
  ]);
});

const paymentIds = async () => ({ foreign: payment, unknown: randomUUID() });

describe('an id of another user', () => {
  type Ask = [operation: string, ids: () => Promise<{ foreign: string; unknown: string }>, how: Asking];
  type Asking = (id: string) => [method: string, path: string, said?: { json: unknown }];
  const asks: Ask[] = [
    ['getPixPayment', paymentIds, (id) => ['GET', `/pix/payments/${id}`]],
    ['retryPixPayment', paymentIds, (id) => ['POST', `/pix/payments/${id}/retry`]],
    [
      'getTransaction',
      async () => ({
        foreign: must(await ada.api.GET('/transactions'))[0]?.id ?? '',
        unknown: randomUUID(),
      }),
      (id) => ['GET', `/transactions/${id.toUpperCase()}`],
    ],
    [
      'createPixPayment',
      async () => ({ foreign: quoted, unknown: `quote_${newId()}` }),
      (quoteId) => ['POST', '/pix/payments', { json: { quoteId, pixKey: '52998224725', pixKeyType: 'cpf' } }],
    ],
  ];

  test.each(asks)(
    'another user’s id in %s is recorded, and answered as one that does not exist',
    async (operation, ids, how) => {
      const { foreign, unknown } = await ids();
      const ask = (id: string) => {
        const [method, path, said = {}] = how(id);
        return call(world, method, path, { ...said, token: bea.token, headers: { 'x-request-id': 'same' } });
      };
      const answers: string[] = [];
      const recorded = await recordedOf(async () => {
        for (const id of [foreign, unknown])
          answers.push(`${(await ask(id)).status} ${(await ask(id)).text}`);
      });
      expect(answers[0]).toMatch(/^404 /);
      expect(answers[1]).toBe(answers[0]);
      // The id was tried twice, in one entry or in two, because the first try is written immediately.
      expect(sumOf(recorded)).toBe(2);
      const target = foreign.replace('quote_', '');
      for (const entry of recorded)
        expect(entry).toMatchObject({
          action: 'foreign-id.tried',
          user_id: bea.userId,
          details: { operation, target },
        });
    },
  );

  test('a caller’s own id is not recorded', async () => {
    expect(
      await recordedOf(() => call(world, 'GET', `/pix/payments/${payment}`, { token: ada.token })),
    ).toEqual([]);
  });
});

const knock = (secret: string) =>
  call(world, 'POST', `/webhooks/provider/${secret}`, { json: { event: 'payout.updated' } });

test('a wrong webhook secret is recorded, without the secret that was tried', async () => {
  const guess = 'guess'.repeat(8);
  const recorded = await recordedOf(() => times(5, () => knock(guess)));
  expect(new Set(recorded.map(({ action }) => action))).toEqual(new Set(['webhook-secret.refused']));
  expect(sumOf(recorded)).toBe(5);
  expect(JSON.stringify(recorded)).not.toContain('guess');
});

test('nine hundred wrong webhook secrets do not delay other clients', async () => {
  const recorded = await recordedOf(async () => {
    // One address may have a thousand connections.
    const flood = times(900, () => knock(randomUUID().repeat(2)));
    for (let look = 0; look < 5; look += 1) must(await ada.api.GET('/transactions'));
    await flood;
  });
  expect(sumOf(recorded)).toBe(900);
  expect(recorded.length).toBeLessThan(5);
});

const reveal = ({ api }: Person) => api.GET('/bank-details', { params: { query: { reveal: true } } });
const saveDetails = async ({ api }: Person) => must(await api.POST('/bank-details', { body: gbp }));

const revealsOf = async ({ userId }: Person): Promise<number> =>
  (
    await byTable(world.service.app.db)
      .selectFrom('audit_events')
      .select('seq')
      .where('user_id', '=', userId)
      .where('action', '=', 'bank-details.revealed')
      .execute()
  ).length;

test('a reveal that shows nothing is not recorded', async () => {
  const dan = await signUp(world);
  expect(await recordedOf(() => times(20, async () => must(await reveal(dan))))).toEqual([]);
});

test('a reveal is committed before its answer is sent, and its repetitions within a minute are one row with their number', async () => {
  const dan = await signUp(world);
  await saveDetails(dan);
  const recorded = await recordedOf(async () => {
    must(await reveal(dan));
    expect(await revealsOf(dan)).toBe(1);
    // One user may have no more concurrent requests.
    for (let round = 0; round < 25; round += 1) await times(20, async () => must(await reveal(dan)));
    expect(await revealsOf(dan)).toBe(1);
  });
  expect(recorded).toEqual([
    { action: 'bank-details.revealed', user_id: dan.userId, details: {} },
    {
      action: 'bank-details.revealed',
      user_id: dan.userId,
      details: { number: 500, since: expect.any(String) },
    },
  ]);
});

test('a reveal after a minute is again committed before its answer is sent', async () => {
  const dan = await signUp(world);
  await saveDetails(dan);
  for (const rows of [1, 2, 3]) {
    must(await reveal(dan));
    expect(await revealsOf(dan)).toBe(rows);
    minute();
  }
});

test('reveals of one user are not counted with those of another', async () => {
  const people = await Promise.all([signUp(world), signUp(world)]);
  await Promise.all(people.map(saveDetails));
  const recorded = await recordedOf(() => Promise.all(people.flatMap((one) => [reveal(one), reveal(one)])));
  for (const { userId } of people)
    expect(
      recorded.filter(({ user_id: id }) => id === userId).map(({ details }) => details['number']),
    ).toEqual([undefined, 1]);
});

const here = (...args: string[]) => opsHere(world.service.app, args);

test('operators see all entries, newest first', async () => {
  await recordedOf(() => knock(randomUUID().repeat(2)));
  const { code, out } = await here('audit', '--all', '--limit', '1');
  expect([code, out]).toEqual([0, expect.stringMatching(/ webhook-secret\.refused .* number: 1/)]);
  expect((await here('audit')).out).toBe('No operator has changed anything.\n');
});

test('operators can verify that the record is whole, and are told which row is not', async () => {
  const whole = await here('audit', 'verify');
  const [, head = ''] = /^Whole\. \d+ rows; the head is (\d+:[0-9a-f]{64})$/m.exec(whole.out) ?? [];
  expect([whole.code, await here('audit', 'verify', '--head', head)]).toEqual([0, whole]);
  expect(await here('audit', 'verify', '--head', head.replace(/.$/, '~'))).toMatchObject({ code: 2 });
  expect(await here('audit', 'verify', '--from', '0')).toMatchObject({ code: 2 });
  await sql`alter table audit_events disable trigger user`.execute(world.service.app.db);
  await sql`update audit_events set details = '{}' where seq = 2`.execute(world.service.app.db);
  await sql`alter table audit_events enable trigger user`.execute(world.service.app.db);
  expect(await here('audit', 'verify')).toMatchObject({
    code: 1,
    err: expect.stringContaining('row 2 is not as it was written. The 1 row before it is whole.'),
  });
  expect(await here('audit', 'verify', '--from', '3')).toMatchObject({ code: 0 });
});
