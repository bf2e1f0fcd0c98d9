// Several processes of the service: the work of each role, that they double nothing, and how they stop.
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../harness/processes/free-port.ts';
import { byTable } from '../../support/by-table.ts';
import { leasedIn, workIn } from '../../support/outbox.ts';
import {
  must,
  type Person,
  passVerification,
  pay,
  quote,
  reaches,
  receiveDeposit,
  signUp,
} from '../../support/person.ts';
import { killProcesses, type ServiceProcess, startReadyProcess } from '../../support/process.ts';
import { until } from '../../support/until.ts';
import { accountRefOf, movementsOf, payoutsOf, transfersOf } from '../../support/upstream.ts';
import { useWorld } from '../../support/use-world.ts';

let ada: Person;
let worker: ServiceProcess;
let second: ServiceProcess;
let secondUrl: string;
// This takes as long as clients are given, so it runs concurrently with the tests.
let stuck: ReturnType<typeof stopWithStuckClients>;

// The test's own process serves HTTP only.
const { world, proxy } = useWorld({ proxy: true, env: { ROLE: 'api' } });

beforeAll(async () => {
  ada = await signUp(world);
  stuck = stopWithStuckClients();
});
afterAll(async () => {
  await killProcesses();
});

test('an API process runs no work, and a worker runs all of it and serves no HTTP', async () => {
  must(await ada.api.PATCH('/me', { body: { homeCurrency: 'GBP' } }));
  await passVerification(ada);
  const verified = await until(
    async () => must(await ada.api.GET('/kyc/status')),
    ({ status }) => status === 'completed',
  );
  await pause(1_200);
  expect(verified.hasActiveAccount).toBe(false);
  const work = await workIn(world);
  expect(work).toContainEqual(expect.objectContaining({ kind: 'effect', type: 'provisionAccounts' }));
  for (const row of work) expect(row).toMatchObject({ attempts: 0, leasedBy: null });

  const port = await freePort();
  worker = await startReadyProcess({ ...world.env, ROLE: 'worker', PORT: String(port) });
  await until(
    () => accountStates(),
    (states) => states.length === 2 && states.every((state) => state === 'active'),
  );
  await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow('fetch failed');
  await receiveDeposit(ada, '5000.00');
});

test('two workers and two APIs on one database complete every payment once', async () => {
  const port = await freePort();
  secondUrl = `http://127.0.0.1:${port}`;
  second = await startReadyProcess({
    ...world.env,
    ROLE: 'all',
    PORT: String(port),
    // The provider sends callbacks for this process's work to this process.
    PUBLIC_BASE_URL: secondUrl,
    LOG_LEVEL: 'debug',
  });
  const ids = await Promise.all(
    Array.from({ length: 24 }, async () => {
      const quoted = await quote(ada, 10);
      const body = { quoteId: quoted.quoteId, pixKey: '52998224725', pixKeyType: 'cpf' };
      // Send the same confirmation to both concurrently, as a client does that gave up too early.
      const [one, other] = await Promise.all([world.url, secondUrl].map((url) => confirm(url, body)));
      expect(one).toBe(other);
      return one ?? '';
    }),
  );
  expect(new Set(ids).size).toBe(24);
  await Promise.all(ids.map((id) => reaches(ada, id, 'completed')));
  for (const id of ids) {
    expect(await transfersOf(world, id)).toHaveLength(1);
    expect(await payoutsOf(world, id)).toHaveLength(1);
  }
  const moved = (await movementsOf(ada, 'BRL')).filter((movement) => movement === 'DEBIT PAYOUT 10.00');
  expect(moved).toHaveLength(24);
});

test('at a stop signal, a process finishes the running request and effect, accepts nothing new, and exits with 0', async () => {
  worker.child.kill('SIGTERM');
  expect(await worker.exited).toEqual({ code: 0, signal: null });

  const about = await accountRefOf(world, ada.userId, 'GBP');
  const conversion = proxy.spoil({
    operation: 'createInternalTransfer',
    spoilt: 'late',
    forwarded: true,
    about,
  });
  const id = await pay(ada, await quote(ada, 9.99));
  await until(
    async () => conversion.hits(),
    (hits) => hits === 1,
  );
  const balance = proxy.spoil({ operation: 'createQuote', spoilt: 'late', forwarded: true });
  const inHand = fetch(`${secondUrl}/pix/quote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${ada.token}` },
    body: JSON.stringify({ amountBrl: 10 }),
  });
  await until(
    async () => balance.hits(),
    (hits) => hits === 1,
  );
  second.child.kill('SIGTERM');
  second.child.kill('SIGTERM');
  await pause(100);
  await expect(fetch(`${secondUrl}/health`)).rejects.toThrow('fetch failed');
  expect((await inHand).status).toBe(200);
  expect(await second.exited).toEqual({ code: 0, signal: null });
  expect(await leasedIn(world)).toEqual([]);
  const effect = await byTable(world.service.app.db)
    .selectFrom('effects')
    .select(['status', 'attempts'])
    .where('subject_id', '=', id)
    .executeTakeFirstOrThrow();
  expect(effect).toEqual({ status: 'done', attempts: 1 });
});

test('a process writes no secret into its log', () => {
  const { WEBHOOK_SECRET, SESSION_SECRET, PII_ENCRYPTION_KEY, PROVIDER_PASSWORD } = world.env;
  const basic = Buffer.from(`sandbox:${PROVIDER_PASSWORD}`).toString('base64');
  const secrets = [
    WEBHOOK_SECRET,
    SESSION_SECRET,
    PII_ENCRYPTION_KEY,
    PROVIDER_PASSWORD,
    basic,
    ada.token,
    '52998224725',
  ];
  const log = second.output();
  expect(log.split('\n').length).toBeGreaterThan(50);
  expect(log).toContain('/webhooks/provider/{secret}');
  expect(secrets.filter((secret) => secret !== undefined && log.includes(secret))).toEqual([]);
});

test('at a stop signal, a process whose clients keep their connections exits with 0', async () => {
  const { exit, output } = await stuck;
  // The limit of a stop would end the process with 1, and without this line.
  expect(exit).toEqual({ code: 0, signal: null });
  expect(output).toContain('"service.stopped"');
});

/** One client keeps its connection after its response, and another never finishes its request. */
async function stopWithStuckClients() {
  const port = await freePort();
  const api = await startReadyProcess({ ...world.env, ROLE: 'api', PORT: String(port), LOG_LEVEL: 'info' });
  const [idle, slow] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  for (const socket of [idle, slow]) socket.on('error', () => undefined);
  idle.write('GET /health HTTP/1.1\r\nhost: x\r\n\r\n');
  slow.write(
    'POST /auth/session HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{',
  );
  await new Promise((resolve) => idle.once('data', resolve));
  api.child.kill('SIGTERM');
  const exit = await api.exited;
  for (const socket of [idle, slow]) socket.destroy();
  return { exit, output: api.output() };
}

async function confirm(url: string, body: object): Promise<string> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${ada.token}` };
  const response = await fetch(`${url}/pix/payments`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  const { pixPaymentId } = (await response.json()) as { pixPaymentId?: string };
  if (!response.ok || !pixPaymentId) throw new Error(`answered ${response.status}`);
  return pixPaymentId;
}

const accountStates = async (): Promise<string[]> =>
  (
    await byTable(world.service.app.db)
      .selectFrom('provider_accounts')
      .select('state')
      .where('user_id', '=', ada.userId)
      .execute()
  ).map(({ state }) => state);
