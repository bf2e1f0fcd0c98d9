// The provider answers with another resource than the requested one. One user's money must not be decided by another user's
// resource.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sandboxSettings } from '../../harness/stack/settings.ts';
import { unattended } from '../../src/provider/caller.ts';
import { connectProvider } from '../../src/provider/client.ts';
import type { Provider, ProviderConnection } from '../../src/provider/port.ts';
import {
  convert,
  fundedWallet,
  pixBody,
  type Schemas,
  startUpstream,
  type Upstream,
} from '../sandbox/support.ts';
import { endOf } from './support.ts';

/** One resource of each kind, all of one user. */
type Resources = Record<'owner' | 'account' | 'movement' | 'transfer' | 'payout', string> & {
  /** Another movement of the same account. A movement of another account is not even found there. */
  nextMovement: string;
};

let upstream: Upstream;
let between: Server;
let connection: ProviderConnection;
let provider: Provider;
let requested: Resources;
let other: Resources;
/** The requested resource, and the one in the answer. */
let exchanged: [string, string] | null = null;

beforeAll(async () => {
  upstream = await startUpstream();
  [requested, other] = [await oneOfEach(), await oneOfEach()];
  between = createServer((request, response) => {
    const path = exchanged ? request.url?.replace(...exchanged) : request.url;
    fetch(`${upstream.url}${path}`, { headers: request.headers as Record<string, string> })
      .then(async (answer) => response.writeHead(answer.status).end(await answer.text()))
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
  const settings = sandboxSettings(`http://127.0.0.1:${(between.address() as AddressInfo).port}`);
  connection = connectProvider({
    baseUrl: settings.PROVIDER_BASE_URL,
    username: settings.PROVIDER_USERNAME,
    passwords: [settings.PROVIDER_PASSWORD],
    companyId: settings.PROVIDER_COMPANY_ID,
    concurrency: 8,
    timeoutMs: 10_000,
    interactiveWaitMs: 2_000,
    interactiveTimeoutMs: 5_000,
    callbackUrl: 'http://127.0.0.1:9/',
    observer: { called: () => undefined, opened: () => undefined, closed: () => undefined },
  });
  provider = connection.for(unattended);
});
afterAll(async () => {
  await connection.close();
  between.closeAllConnections();
  between.close();
  await upstream.close();
});

const refetches: [Exclude<keyof Resources, 'nextMovement'>, (of: Resources) => Promise<unknown>][] = [
  ['owner', ({ owner }) => provider.getOwner(owner)],
  ['account', ({ account }) => provider.getAccount(account)],
  ['movement', ({ account, movement }) => provider.getMovement(account, movement)],
  ['transfer', ({ transfer }) => provider.getTransfer(transfer)],
  ['transfer', ({ transfer }) => provider.getTransferDetails(transfer)],
  ['payout', ({ payout }) => provider.getPayout(payout)],
];

test.each(refetches)(
  'another %s than the requested one counts as an unknown outcome',
  async (kind, refetch) => {
    exchanged = null;
    expect(await endOf(refetch(requested))).toBe('done');
    exchanged = [requested[kind], kind === 'movement' ? requested.nextMovement : other[kind]];
    expect(await endOf(refetch(requested))).toBe('unknown');
  },
);

async function oneOfEach(): Promise<Resources> {
  const wallet = await fundedWallet(upstream);
  const transfer = await convert(upstream, wallet, '50.00');
  const payout = await upstream.post<Schemas['Payout']>('/v1/payouts/', pixBody(wallet, '10.00'));
  const { body } = await upstream.get<{ results: Schemas['Movement'][] }>(
    `/v1/accounts/${wallet.home.uuid}/movements/`,
  );
  return {
    owner: wallet.owner.uuid,
    account: wallet.home.uuid,
    movement: body.results[0]?.uuid ?? '',
    nextMovement: body.results[1]?.uuid ?? '',
    transfer: transfer.uuid,
    payout: payout.body.uuid,
  };
}
