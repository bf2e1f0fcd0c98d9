// Everything that operators and nightly jobs do, once each, while people pay: searches, an export, an erasure, retention,
// reconciliation, a settlement, and the rotation of all keys.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { query } from '../../harness/database/query.ts';
import { createPerson, signIn } from '../../harness/people/person.ts';
import { until } from '../../harness/people/until.ts';
import { operate } from '../stack/operator.ts';
import type { Person } from '../stack/people.ts';
import type { RunDatabase, Stack } from '../stack/stack.ts';

const PATIENCE_MS = 3 * 60_000;
/** The sandbox delivers a centavo less than this amount, so the payment ends in manual_review. */
const SHORT_BRL = 8.88;
const SHORT_KEY = 'short@example.com';

/** The keys of the service, the newest first. Processes read them at their next start. */
export type Keys = { PII_ENCRYPTION_KEY: string; SEARCH_KEY: string };

export type Work = { done: string[]; violations: string[] };

/** @param restart ends every process and starts it again, with these keys. */
export async function workAsOperators(
  stack: Stack<RunDatabase>,
  [person]: [Person, ...Person[]],
  restart: (keys: Keys) => Promise<void>,
): Promise<Work> {
  const work: Work = { done: [], violations: [] };
  const { database, environment, folder, sandboxUrl, urls } = stack;
  const run = async (args: string[], { says = '', ...who }: Who = {}): Promise<string> => {
    const { code, output, result } = await operate(stack, args, who);
    const name = args.slice(0, 2).join(' ');
    if (code === 0 && result.includes(says)) work.done.push(name);
    else work.violations.push(`${name} ended with ${code}: ${output.trim()}`);
    return result;
  };
  const act = (args: string[], who: Who = {}) => run([...args, '--reason', 'a trial'], who);

  const review = await payShort(person);
  await act(['find', 'email'], { input: 'person0@example.com', says: 'user' });
  const { iban, accountNumber = '' } = person.deposit;
  await act(['find', 'account'], { input: iban ?? accountNumber, says: person.id });
  await act(['find', 'pix-key'], { input: SHORT_KEY, says: 'payment' });
  await act(['find', 'amount'], { input: `${SHORT_BRL} BRL ${today()}` });
  await run(['show', review], { says: 'manual_review' });
  for (const view of ['status', 'overdue', 'effects', 'failures', 'webhooks']) await run([view]);
  const settled = ['--amount', String(SHORT_BRL), '--currency', 'BRL', '--reference', 'transfer 1'];
  await act(['payments', 'settle', review, ...settled]);
  await act(['payments', 'settle', review, ...settled], { operator: 'another' });

  const leaver = createPerson({ url: urls[0] ?? '', sandboxUrl });
  const { user } = await signIn(leaver, { subject: 'leaver', email: 'leaver@example.com' });
  const { id: request } = await leaver.ponte.requestData({ type: 'access' });
  await act(['data-requests', 'export', request, '--file', join(folder, 'export.json')]);
  await act(['data-requests', 'close', request]);
  await leaver.ponte.closeAccount();
  await query(
    database.url,
    `update users set closed_at = '2018-01-01', hard_deletion_due_at = '2024-01-01' where id = $1`,
    [user.id],
  );
  await act(['erasure', 'run']);
  await act(['payloads', 'purge']);
  await act(['reconciliation', 'run']);

  const former = environment();
  await restart({
    PII_ENCRYPTION_KEY: `second:${randomBytes(32).toString('base64')},${former['PII_ENCRYPTION_KEY']}`,
    SEARCH_KEY: `${randomBytes(32).toString('base64url')},${former['SEARCH_KEY']}`,
  });
  await act(['keys', 'rotate']);
  await run(['keys', 'status']);
  await act(['find', 'email'], { input: 'person0@example.com', says: 'user' });
  await run(['audit', 'verify']);
  return work;
}

/** `says` is a text that the command must print. */
type Who = { operator?: string; input?: string; says?: string };

/** Makes a payment that ends in manual_review. @returns its id. */
async function payShort({ client }: Person): Promise<string> {
  const quote = await client.ask({ method: 'POST', path: '/pix/quote', json: { amountBrl: SHORT_BRL } });
  const { body } = await client.ask({
    method: 'POST',
    path: '/pix/payments',
    json: { quoteId: quote.body['quoteId'], pixKey: SHORT_KEY, pixKeyType: 'email' },
  });
  const id = String(body['pixPaymentId']);
  await until(
    () => client.ask({ method: 'GET', path: `/pix/payments/${id}` }),
    (answer) => answer.body['status'] === 'manual_review',
    PATIENCE_MS,
  );
  return id;
}

const today = (): string => new Date().toISOString().slice(0, 10);
