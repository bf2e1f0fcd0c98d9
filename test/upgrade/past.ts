// Restores a database as an earlier version left it: its schema, its rows, and a provider with the same past.
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { fillInHostedPage, sendMoney } from '../../scripts/journey/sandbox.ts';
import { sandboxSettings } from '../../scripts/local-stack.ts';
import { handleFor } from '../../src/domain/handles.ts';
import { noDeadlines } from '../../src/platform/database/deadlines.ts';
import { createOrm } from '../../src/platform/database/orm.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { migrate } from '../../src/platform/database/schema.ts';
import { createProvider } from '../../src/provider/client.ts';
import { fetchByRef } from '../../src/provider/fetch.ts';
import type { Provider } from '../../src/provider/port.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import type { DatabaseFixture, PastStep } from './fixtures.ts';

export type Past = { sandbox: Sandbox; database: TestDatabase };

/** Restores the fixture's database with its own schema, without a process that works on it. */
export async function restore(fixture: DatabaseFixture): Promise<Past> {
  const sandbox = await startSandbox({ settleMs: 0, activateMs: 0, log: () => undefined });
  const refs = await relive(sandbox, fixture);
  const database = await createEmptyDatabase();
  const pool = createPool(database.url, 2, noDeadlines);
  await pool.query(fixture.sql.replaceAll(/\{\{(.+?)\}\}/g, (_braces, name: string) => refOf(refs, name)));
  await pool.end();
  return { sandbox, database };
}

export async function upgrade({ database }: Past): Promise<void> {
  const pool = createPool(database.url, 2, noDeadlines);
  const orm = await createOrm(pool);
  await migrate(orm);
  await orm.close(true);
}

type Refs = Map<string, string>;

function refOf(refs: Refs, name: string): string {
  const ref = refs.get(name);
  if (ref === undefined) throw new Error(`the fixture's past has no ${name}`);
  return ref;
}

/** Repeats the events at the provider. @returns the provider's ids by the names that the fixture uses. */
async function relive(sandbox: Sandbox, { upstream, people }: DatabaseFixture): Promise<Refs> {
  const settings = sandboxSettings(sandbox.url);
  const provider = createProvider({
    baseUrl: sandbox.url,
    username: settings.PROVIDER_USERNAME,
    password: settings.PROVIDER_PASSWORD,
    companyId: settings.PROVIDER_COMPANY_ID,
    concurrency: 4,
    timeoutMs: 10_000,
    interactiveWaitMs: 2_000,
    interactiveTimeoutMs: 5_000,
    callbackUrl: 'http://127.0.0.1:9/',
    observer: { called: () => undefined, opened: () => undefined, closed: () => undefined },
  });
  const refs: Refs = new Map();
  const idOf = (person: string): string => people[person]?.id ?? '';
  for (const one of upstream) await happen(one, { sandbox, provider, refs, idOf });
  await provider.close();
  return refs;
}

type Scene = { sandbox: Sandbox; provider: Provider; refs: Refs; idOf: (person: string) => string };

async function happen(one: PastStep, { sandbox, provider, refs, idOf }: Scene): Promise<void> {
  const { url: sandboxUrl } = sandbox;
  const ref = (name: string) => refOf(refs, name);
  const ended = (kind: 'owner' | 'account' | 'transfer', providerRef: string) =>
    until(
      () => fetchByRef(provider, kind, providerRef),
      ({ status }) => status === 'completed' || status === 'active',
    );
  if ('owner' in one) {
    const owner = await provider.createOwner({ handle: handleFor(idOf(one.owner), 'owner') });
    await fillInHostedPage({ sandboxUrl }, owner.verificationUrl ?? '');
    await ended('owner', owner.providerRef);
    refs.set(`owner ${one.owner}`, owner.providerRef);
  } else if ('account' in one) {
    const { account: person, currency } = one;
    const handle = handleFor(idOf(person), `account-${currency}`);
    const account = await provider.createAccount({ handle, ownerRef: ref(`owner ${person}`), currency });
    await ended('account', account.providerRef);
    refs.set(`account ${person} ${currency}`, account.providerRef);
  } else if ('deposit' in one) {
    const account = await provider.getAccount(ref(`account ${one.deposit} ${one.currency}`));
    await sendMoney({ sandboxUrl }, account.depositInstructions ?? {}, one.amount);
  } else if ('quote' in one) {
    refs.set(`quote ${one.quote}`, (await provider.createQuote(quoteFrom(one))).providerRef);
  } else if ('transfer' in one) {
    const quote = await provider.createQuote(quoteFrom(one));
    const { providerRef } = await provider.createTransfer({
      handle: handleFor(one.of, `conversion-${one.leg}`),
      quoteRef: quote.providerRef,
      sourceAccountRef: ref(`account ${one.person} ${one.from}`),
      destinationAccountRef: ref(`account ${one.person} ${one.to}`),
    });
    await ended('transfer', providerRef);
    refs.set(`transfer ${one.transfer}`, providerRef);
    refs.set(`debited ${one.transfer}`, String(quote.sourceAmountMinor));
    refs.set(`delivered ${one.transfer}`, String(quote.destinationAmountMinor));
  } else {
    const { providerRef } = await provider.createPayout({
      handle: handleFor(one.of, 'payout'),
      sourceAccountRef: ref(`account ${one.person} BRL`),
      amountMinor: one.amountMinor,
      currency: 'BRL',
      destination: { rail: 'PIX', pixKey: '52998224725', pixKeyType: 'cpf', recipientName: 'João Souza' },
    });
    refs.set(`payout ${one.payout}`, providerRef);
  }
}

const quoteFrom = ({
  from,
  to,
  ...rest
}: Extract<PastStep, { quote: string }> | Extract<PastStep, { transfer: string }>) => ({
  sourceCurrency: from,
  destinationCurrency: to,
  ...('sourceAmountMinor' in rest
    ? { sourceAmountMinor: rest.sourceAmountMinor }
    : { destinationAmountMinor: rest.destinationAmountMinor }),
});
