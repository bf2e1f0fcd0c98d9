// One user's many concurrent requests over real HTTP: a limited number run, some wait, and the others are refused before
// anything is read. Another user is served meanwhile.
import { beforeAll, expect, test } from 'vitest';
import { requestLimits } from '../../src/api/request-shares.ts';
import { type Answered, call } from '../support/http.ts';
import { waitingForTable, whileLocked } from '../support/locks.ts';
import { mintIdToken, type Person, quote, verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';

const { ofUser, waitingOfUser } = requestLimits;
const TOO_MANY = 20;
const ALL = ofUser + waitingOfUser + TOO_MANY;

let ada: Person;
let bea: Person;

// There are more connections than one user's requests can hold, and calls that hang do not time out.
const { world, proxy } = useWorld({
  proxy: true,
  env: { DATABASE_POOL_SIZE: '12', PROVIDER_TIMEOUT_MS: '120000' },
});

beforeAll(async () => {
  [ada, bea] = await Promise.all([verified(world), verified(world)]);
});

/**
 * Sends all requests concurrently.
 * @returns the answers so far, and a promise for all of them.
 */
function sendMany(send: () => Promise<Answered>) {
  const answers: Answered[] = [];
  const all = Promise.all(
    Array.from({ length: ALL }, async () => {
      answers.push(await send());
    }),
  );
  const refused = () => answers.filter(({ status }) => status === 429);
  return { answers, refused, all };
}

const askForQuote = (amountBrl: number, signal?: AbortSignal): Promise<Response> =>
  fetch(`${world.url}/pix/quote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${ada.token}` },
    body: JSON.stringify({ amountBrl }),
    ...(signal && { signal }),
  });

const waitFor = (refused: () => unknown[]) =>
  until(
    async () => refused().length,
    (count) => count >= TOO_MANY,
  );

test('a limited number of one user’s requests reach the provider, while another user is served', async () => {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const about = '"13.00"';
  proxy.spoil({
    operation: 'createQuote',
    about,
    spoilt: { after: promise },
    forwarded: true,
    times: Number.POSITIVE_INFINITY,
  });
  const { answers, refused, all } = sendMany(() =>
    call(world, 'POST', '/pix/quote', { token: ada.token, json: { amountBrl: 13 } }),
  );
  await waitFor(refused);
  for (let amount = 1; amount <= 3; amount += 1) {
    expect((await quote(bea, amount)).sourceCurrency).toBe('GBP');
    // None of Ada's waiting requests began between Bea's request and its answer.
    expect(proxy.count('createQuote', about)).toBe(ofUser);
  }
  release();
  await all;
  const quoted = answers.filter(({ status }) => status === 200);
  expect(quoted.length + refused().length).toBe(ALL);
  expect(proxy.count('createQuote', about)).toBe(quoted.length);
  for (const { headers, body } of refused())
    expect([headers.get('retry-after'), body['code']]).toEqual(['1', 'too_many_requests']);
  // The ended requests have freed their turns, so everything works again.
  expect((await quote(ada, 14)).sourceCurrency).toBe('GBP');
});

test('one user’s requests whose client has disconnected count until their work has ended', async () => {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const about = '"17.00"';
  const spoilt = { after: promise };
  proxy.spoil({ operation: 'createQuote', about, spoilt, forwarded: true, times: Number.POSITIVE_INFINITY });
  const leaving = new AbortController();
  const left = Array.from({ length: ofUser }, () => askForQuote(17, leaving.signal).catch(() => null));
  const count = () => proxy.count('createQuote', about);
  await until(
    async () => count(),
    (reached) => reached === ofUser,
  );
  leaving.abort();
  await Promise.all(left);
  const waiting = askForQuote(17);
  expect((await quote(bea, 4)).sourceCurrency).toBe('GBP');
  expect(count()).toBe(ofUser);
  release();
  expect((await waiting).status).toBe(200);
});

/** Locks the users for all reads until enough requests were refused. */
const sendWhileUsersAreLocked = (send: () => Promise<Answered>) =>
  whileLocked(world.databaseUrl, 'users', 'access exclusive', async () => {
    const sent = sendMany(send);
    // They are refused although every read of a user has to wait.
    await waitFor(sent.refused);
    const waiting = await waitingForTable(world.service.app.db, 'users');
    expect(waiting).toBeLessThanOrEqual(ofUser);
    expect(waiting).toBeGreaterThan(0);
    return sent;
  });

test('a limited number of one user’s requests reach the database, and the refused ones never do', async () => {
  const requests = await sendWhileUsersAreLocked(() => call(world, 'GET', '/me', { token: ada.token }));
  await requests.all;
  expect(requests.refused().length).toBeGreaterThanOrEqual(TOO_MANY);
  expect((await call(world, 'GET', '/me', { token: ada.token })).status).toBe(200);
});

test('a limited number of one identity’s sign-ins reach the database, and the refused ones never do', async () => {
  const idToken = await mintIdToken(world, 'b', { subject: crypto.randomUUID() });
  const json = { provider: 'identity_provider_b', idToken };
  const signIn = () => call(world, 'POST', '/auth/session', { json });
  const requests = await sendWhileUsersAreLocked(signIn);
  await requests.all;
  expect(new Set(requests.refused().map(({ body }) => body['code']))).toEqual(new Set(['too_many_requests']));
  expect((await signIn()).status).toBe(200);
});
