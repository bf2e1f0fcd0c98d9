// `npm run demo`: the whole journey of a client, with a client typed by the contract. Starts a stack of its own when
// none is running.
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import createClient, { type Client } from 'openapi-fetch';
import type { paths } from '../openapi/generated/openapi.ts';
import { freePort } from './embedded-database.ts';
import { onceToEnd } from './ending.ts';
import { type LocalStack, startLocalStack } from './local-stack.ts';

const PATIENCE_MS = 20_000;

type Api = Client<paths>;
type Stack = Pick<LocalStack, 'url' | 'sandboxUrl' | 'stop'>;
type Answer<Data> = { data?: Data; error?: unknown; response: Response };

let steps = 0;
let failed = 0;

let stack: Stack | null = null;
let isEnding = false;

async function main(): Promise<void> {
  // Whatever is still starting then ends by itself (see caretaker.ts).
  onceToEnd(() => {
    isEnding = true;
    void Promise.resolve(stack?.stop()).finally(() => process.exit(1));
  });
  stack = await findOrStartStack();
  const { url, sandboxUrl, stop } = stack;
  try {
    await journey(createClient<paths>({ baseUrl: url }), sandboxUrl);
  } catch (error) {
    failed += 1;
    console.error(error instanceof Error ? error.message : error);
  }
  // Then it is ending already, and steps fail without a stack.
  if (isEnding) return;
  await stop();
  console.log(`\ndemo: ${steps} steps, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}

async function journey(api: Api, sandbox: string): Promise<void> {
  const session = await step('sign in with an ID token of identity provider B', async () => {
    const idToken = await mintIdToken(sandbox);
    return must(await api.POST('/auth/session', { body: { provider: 'identity_provider_b', idToken } }));
  });
  api.use({
    onRequest: ({ request }) => request.headers.set('authorization', `Bearer ${session.sessionToken}`),
  });

  await step('set the home currency to GBP', async () =>
    must(await api.PATCH('/me', { body: { homeCurrency: 'GBP', displayName: 'Ada' } })),
  );
  const kyc = await step('start the verification', async () => must(await api.POST('/kyc/start', {})));
  await step('fill in the hosted page', () => fillInVerification(kyc.verificationUrl));
  await step('see the verification completed and the account active', () =>
    until(
      async () => must(await api.GET('/kyc/status')),
      ({ status, hasActiveAccount }) => status === 'completed' && hasActiveAccount,
    ),
  );
  const me = await step('look up where to deposit', async () => must(await api.GET('/me')));
  await step('deposit 500.00 GBP from a bank', () => deposit(sandbox, me.deposit));
  await step('see the deposit in the balance and the list', () =>
    until(
      async () => ({ me: must(await api.GET('/me')), transactions: must(await api.GET('/transactions')) }),
      (seen) => seen.me.balance?.amount === 50_000 && seen.transactions[0]?.type === 'deposit',
    ),
  );

  const quote = await step('ask what 250.00 BRL cost', async () =>
    must(await api.POST('/pix/quote', { body: { amountBrl: 250 } })),
  );
  const accepted = await step('pay the PIX key (a CPF)', async () =>
    must(
      await api.POST('/pix/payments', {
        body: {
          quoteId: quote.quoteId,
          pixKey: '529.982.247-25',
          pixKeyType: 'cpf',
          recipientName: 'Joana Lima',
        },
      }),
    ),
  );
  await step('watch the payment until it is completed, with its end-to-end id', () =>
    until(
      async () =>
        must(await api.GET('/pix/payments/{id}', { params: { path: { id: accepted.pixPaymentId } } })),
      ({ status, endToEndId }) => status === 'completed' && endToEndId !== null,
    ),
  );

  await step('save bank details', async () =>
    must(
      await api.POST('/bank-details', {
        body: {
          currency: 'GBP',
          accountHolderName: 'Ada Silva',
          accountNumber: '12345678',
          sortCode: '12-34-56',
        },
      }),
    ),
  );
  const withdraw = await step('withdraw 100.00 GBP', async () =>
    must(
      await api.POST('/withdraws', {
        params: { header: { 'Idempotency-Key': randomUUID() } },
        body: { amount: 10_000 },
      }),
    ),
  );
  await step('watch the withdrawal until it is completed', () =>
    until(
      async () => must(await api.GET('/transactions/{id}', { params: { path: { id: withdraw.id } } })),
      ({ status }) => status === 'completed',
    ),
  );
  await step('list it all', async () => {
    const transactions = must(await api.GET('/transactions'));
    const payments = must(await api.GET('/pix/payments'));
    const withdraws = must(await api.GET('/withdraws'));
    const bankDetails = must(await api.GET('/bank-details'));
    const expected = 50_000 - quote.sourceAmount - 10_000;
    const { balance } = must(await api.GET('/me'));
    if (balance?.amount !== expected) throw new Error(`the balance is ${balance?.amount}, not ${expected}`);
    if (transactions.length !== 3) throw new Error(`${transactions.length} transactions instead of 3`);
    return { balance, transactions, payments, withdraws, bankDetails };
  });
}

/** Runs one step and prints its result; a failed step ends the journey. */
async function step<Result>(title: string, work: () => Promise<Result>): Promise<Result> {
  steps += 1;
  const startedAt = performance.now();
  const result = await work();
  const ms = Math.round(performance.now() - startedAt);
  console.log(`\n${String(steps).padStart(2)}. ${title} (${ms} ms)`);
  if (result !== undefined) console.log(indent(JSON.stringify(shortened(result), null, 2)));
  return result;
}

function must<Data>({ data, error, response }: Answer<Data>): Data {
  if (data === undefined)
    throw new Error(`${response.url} answered ${response.status}: ${JSON.stringify(error)}`);
  return data;
}

/** Polls as an app would, until the result is as expected. */
async function until<Seen>(look: () => Promise<Seen>, isGood: (seen: Seen) => boolean): Promise<Seen> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const seen = await look();
    if (isGood(seen)) return seen;
    if (Date.now() > deadline) throw new Error(`this did not change in time: ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function mintIdToken(sandbox: string): Promise<string> {
  const subject = `demo-${randomUUID()}`;
  const claims = { subject, email: 'ada@example.com', emailVerified: true, name: 'Ada Silva' };
  const { idToken } = (await post(`${sandbox}/identity/b/token`, claims)) as { idToken: string };
  return idToken;
}

async function fillInVerification(address: string | null): Promise<void> {
  if (address === null) throw new Error('there is no page to fill in');
  const body = new URLSearchParams({ full_name: 'Ada Silva', email: 'ada@example.com' });
  const response = await fetch(address, { method: 'POST', body });
  if (!response.ok) throw new Error(`the hosted page answered ${response.status}`);
}

const deposit = (
  sandbox: string,
  to: { accountNumber?: string; sortCode?: string } | null,
): Promise<unknown> =>
  post(`${sandbox}/sandbox/deposits`, {
    accountNumber: to?.accountNumber,
    sortCode: to?.sortCode,
    amount: '500.00',
    reference: 'Salary',
  });

async function post(address: string, body: unknown): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${address} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

async function findOrStartStack(): Promise<Stack> {
  const running = {
    url: process.env['PONTE_URL'] ?? 'http://localhost:3000',
    sandboxUrl: process.env['SANDBOX_URL'] ?? 'http://localhost:4010',
  };
  if ((await answers(`${running.url}/health`)) && (await answers(`${running.sandboxUrl}/health`))) {
    console.log(`Using the stack that runs at ${running.url}.`);
    return { ...running, stop: async () => undefined };
  }
  console.log('No stack is running: starting one for this demo only.');
  const folder = mkdtempSync(join(tmpdir(), 'ponte-demo-'));
  // The database may have to run as another user, who needs access to the folder.
  chmodSync(folder, 0o755);
  return startLocalStack({
    folder,
    isTemporary: true,
    port: await freePort(),
    sandboxPort: await freePort(),
  });
}

const answers = (address: string): Promise<boolean> =>
  fetch(address, { signal: AbortSignal.timeout(1_000) }).then(
    (response) => response.ok,
    () => false,
  );

/** Tokens mean nothing to a reader. */
const shortened = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, text) => (key === 'sessionToken' ? `${String(text).slice(0, 16)}...` : text)),
  );

const indent = (text: string): string => text.replace(/^/gm, '    ');

await main();
