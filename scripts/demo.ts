// `npm run demo`: the whole journey of a person, with the typed client of packages/client. It starts its own stack if none is
// running.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { all } from '../harness/people/all.ts';
import { createPerson, type Person, signIn } from '../harness/people/person.ts';
import { fillInHostedPage, sendMoney } from '../harness/people/sandbox.ts';
import { until } from '../harness/people/until.ts';
import type { LocalStack } from '../harness/stack/local-stack.ts';
import { findRunningStack } from '../harness/stack/running-stack.ts';
import { startTemporaryStack } from '../harness/stack/temporary-stack.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { PonteError } from '../packages/client/src/index.ts';
import { onceToEnd } from './ending.ts';

const PATIENCE_MS = 20_000;

/** `folder` has the settings for the operators' commands. It is null for a stack that `npm start` did not start. */
type Stack = Pick<LocalStack, 'url' | 'sandboxUrl' | 'stop'> & { folder: string | null };

let steps = 0;
let failed = 0;

let stack: Stack | null = null;
let isEnding = false;

async function main(): Promise<void> {
  // Parts that are still starting then end by themselves (see caretaker.ts).
  onceToEnd(() => {
    isEnding = true;
    void Promise.resolve(stack?.stop()).finally(() => process.exit(1));
  });
  stack = await findOrStartStack();
  const { url, sandboxUrl, stop, folder } = stack;
  try {
    const person = createPerson({ url, sandboxUrl });
    await journey(person);
    if (folder === null)
      console.log('\nThe operators’ commands need the stack of npm start: nothing is returned.');
    else await returnedPayment(person, folder);
  } catch (error) {
    failed += 1;
    console.error(messageOf(error));
  }
  // The script is already ending, so steps fail because the stack is gone.
  if (isEnding) return;
  await stop();
  console.log(`\ndemo: ${steps} steps, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}

async function journey(person: Person): Promise<void> {
  const { ponte } = person;
  await step('sign in with an ID token of identity provider B', () =>
    signIn(person, { subject: `demo-${randomUUID()}` }),
  );
  await step('set the home currency to GBP', () =>
    ponte.updateMe({ homeCurrency: 'GBP', displayName: 'Ada' }),
  );
  const { verificationUrl } = await step('start the verification', ponte.startVerification);
  if (verificationUrl === null) throw new Error('there is no page to fill in');
  await step('fill in the hosted page', () => fillInHostedPage(person, verificationUrl));
  await step('see the verification completed and the account active', () =>
    until(
      ponte.verification,
      ({ status, hasActiveAccount }) => status === 'completed' && hasActiveAccount,
      PATIENCE_MS,
    ),
  );
  const me = await step('look up where to deposit', ponte.me);
  await step('deposit 500.00 GBP from a bank', () => sendMoney(person, me.deposit ?? {}, '500.00', 'Salary'));
  await step('see the deposit in the balance and the list', () =>
    until(
      async () => ({ me: await ponte.me(), transactions: await all(ponte.transactions()) }),
      (seen) => seen.me.balance?.amount === 50_000 && seen.transactions[0]?.type === 'deposit',
      PATIENCE_MS,
    ),
  );

  const quote = await step('ask what 250.00 BRL cost', () => ponte.quote(250));
  const { quoteId } = quote;
  const to = { pixKey: '529.982.247-25', pixKeyType: 'cpf' } as const;
  await step('see a mistyped key refused, with the name of the fault', () =>
    mistypedIn(ponte.pay({ quoteId, ...to, pixKey: '529.982.247-24' })),
  );
  const { lookupId } = await step('see whom the PIX key (a CPF) belongs to', () => ponte.lookUpRecipient(to));
  const { pixPaymentId } = await step('pay Joana Lima', () => ponte.pay({ quoteId, ...to, lookupId }));
  await step('watch the payment until it is completed, with its end-to-end id', () =>
    until(
      () => ponte.payment(pixPaymentId),
      ({ status, endToEndId }) => status === 'completed' && endToEndId !== null,
      PATIENCE_MS,
    ),
  );

  const account = { accountHolderName: 'Ada Silva', accountNumber: '12345678', sortCode: '12-34-56' };
  await step('save bank details', () => ponte.saveBankDetails({ currency: 'GBP', ...account }));
  const withdraw = await step('withdraw 100.00 GBP', () => ponte.withdraw(10_000));
  await step('watch the withdrawal until it is completed', () =>
    until(
      () => ponte.transaction(withdraw.id),
      ({ status }) => status === 'completed',
      PATIENCE_MS,
    ),
  );
  await step('list it all', async () => {
    const transactions = await all(ponte.transactions());
    const payments = await all(ponte.payments());
    const withdraws = await all(ponte.withdraws());
    const bankDetails = await ponte.bankDetails();
    const expected = 50_000 - quote.sourceAmount - 10_000;
    const { balance } = await ponte.me();
    if (balance?.amount !== expected) throw new Error(`the balance is ${balance?.amount}, not ${expected}`);
    if (transactions.length !== 3) throw new Error(`${transactions.length} transactions instead of 3`);
    return { balance, transactions, payments, withdraws, bankDetails };
  });
}

/** A payment to a key that leads nowhere, whose money support returns. */
async function returnedPayment({ ponte }: Person, folder: string): Promise<void> {
  const { pixPaymentId: id, transactionId } = await step('pay a key that leads nowhere', async () => {
    const { quoteId } = await ponte.quote(20);
    return ponte.pay({ quoteId, pixKey: 'unknown@pix.example', pixKeyType: 'email' });
  });
  await step('see why it failed, and what the payment holds', () =>
    until(
      async () => ({ payment: await ponte.payment(id), transaction: await ponte.transaction(transactionId) }),
      ({ payment, transaction }) =>
        payment.failureCode === 'recipient_unknown' && transaction.heldAmount === transaction.sourceAmount,
      PATIENCE_MS,
    ),
  );
  const before = (await ponte.me()).balance?.amount ?? 0;
  await step('let support return the money', () =>
    operate(folder, ['payments', 'return', id, '--subsidy-cap-bps', '300', '--reason', 'a dead key']),
  );
  await step('see the payment refunded, and the money in the balance', () =>
    until(
      async () => ({ payment: await ponte.payment(id), balance: (await ponte.me()).balance }),
      ({ payment, balance }) => payment.status === 'refunded' && (balance?.amount ?? 0) > before,
      PATIENCE_MS,
    ),
  );
}

/** Runs a command of the operators. @returns what it prints. */
async function operate(folder: string, command: string[]): Promise<string> {
  const program = join(import.meta.dirname, '../ops/main.ts');
  const { DATABASE_URL: _other, ...env } = process.env;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [program, ...command, '--operator', 'demo'],
    {
      env: { ...env, DATA_FOLDER: folder },
    },
  );
  return stdout.trim();
}

/** Returns the faults that the API names. @throws if the request succeeds, or is refused for another reason. */
async function mistypedIn(request: Promise<unknown>): Promise<unknown> {
  const error = await request.then(
    () => new Error('the request succeeded'),
    (reason: unknown) => reason,
  );
  const isNamed = error instanceof PonteError && error.details.some(({ code }) => code === 'invalid_pix_key');
  if (!isNamed) throw error;
  return { code: error.code, details: error.details };
}

/** Runs one step and prints its result. A failed step ends the journey. */
async function step<Result>(title: string, work: () => Promise<Result>): Promise<Result> {
  steps += 1;
  const startedAt = performance.now();
  const result = await work();
  const ms = Math.round(performance.now() - startedAt);
  console.log(`\n${String(steps).padStart(2)}. ${title} (${ms} ms)`);
  if (result !== undefined) console.log(indent(JSON.stringify(shortened(result), null, 2)));
  return result;
}

async function findOrStartStack(): Promise<Stack> {
  const running = await findRunningStack(process.env);
  if (running !== null) {
    console.log(`Using the stack that runs at ${running.url}.`);
    return { ...running, stop: async () => undefined };
  }
  console.log('No stack is running: starting one for this demo only.');
  const folder = temporaryFolder('demo');
  return { ...(await startTemporaryStack(folder)), folder };
}

/** The API's sentence is for the user. A reader of the demo also needs its code and request. */
function messageOf(error: unknown): unknown {
  if (error instanceof PonteError) return `${error.message} (${error.code}, request ${error.requestId})`;
  return error instanceof Error ? error.message : error;
}

/** Shortens tokens, because they mean nothing to a reader. */
const shortened = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, text) => (key === 'sessionToken' ? `${String(text).slice(0, 16)}...` : text)),
  );

const indent = (text: string): string => text.replace(/^/gm, '    ');

await main();
