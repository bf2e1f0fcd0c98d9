// The console's pages over HTTP: what they say and link to, and the stream of callbacks.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  convert,
  createOwner,
  deposit,
  fpsBody,
  fundedWallet,
  type Listener,
  listen,
  pixBody,
  type Schemas,
  startUpstream,
  submitForm,
  type Upstream,
  until,
  type Wallet,
} from './support.ts';

let upstream: Upstream;
let listener: Listener;
beforeAll(async () => {
  [upstream, listener] = await Promise.all([startUpstream(), listen()]);
});
afterAll(() => Promise.all([upstream.close(), listener.close()]));

const read = async (path: string, from = upstream) => {
  const response = await fetch(from.url + path);
  return { status: response.status, headers: response.headers, text: await response.text() };
};

describe('an empty sandbox', () => {
  it.each([
    ['/console', 'What to do first'],
    ['/console/owners', 'start the verification'],
    ['/console/accounts', 'Complete one first'],
    ['/console/transfers', 'Pay money in'],
    ['/console/payouts', 'slow@pix.example'],
    ['/console/callbacks', 'Pay money in'],
    ['/console/ledger', 'Pay money in'],
  ])('says at %s what to do first', async (path, text) => {
    const fresh = await startUpstream();
    expect(await read(path, fresh)).toMatchObject({ status: 200, text: expect.stringContaining(text) });
    await fresh.close();
  });
});

describe('the pages', () => {
  let wallet: Wallet;
  let payout: Schemas['Payout'];
  let conversion: Schemas['InternalTransfer'];
  beforeAll(async () => {
    wallet = await fundedWallet(upstream, 'GBP', listener.url);
    conversion = await convert(upstream, wallet, '100.00');
    payout = (await upstream.post<Schemas['Payout']>('/v1/payouts/', pixBody(wallet, '10.00'))).body;
  });

  it('lead from a payout to its account, its ledger entries and its callbacks', async () => {
    const { text } = await read(`/console/payouts/${payout.uuid}`);
    expect(text).toContain(`href="/console/accounts/${wallet.brl.uuid}"`);
    expect(text).toContain(`href="/console/ledger?reference=${payout.origin_id}"`);
    expect(text).toContain('It has no callback address');
    const ledger = await read(`/console/ledger?reference=${payout.origin_id}`);
    expect(ledger.text).toContain('paying-out:BRL');
    expect(ledger.text).not.toContain('outside:GBP');
    const account = await read(`/console/accounts/${wallet.brl.uuid}`);
    expect(account.text).toContain(`href="/console/payouts/${payout.uuid}"`);
    expect(account.text).toMatch(/href="\/console\/callbacks\/\d+"/);
  });

  it('lead from a conversion to both accounts, and from an account to its holder', async () => {
    const { text } = await read(`/console/transfers/${conversion.uuid}`);
    for (const { uuid } of [wallet.home, wallet.brl])
      expect(text).toContain(`href="/console/accounts/${uuid}"`);
    const account = await read(`/console/accounts/${wallet.home.uuid}`);
    expect(account.text).toContain(`href="/console/owners/${wallet.owner.uuid}"`);
    const user = await read(`/console/owners/${wallet.owner.uuid}`);
    for (const { uuid } of [wallet.home, wallet.brl])
      expect(user.text).toContain(`href="/console/accounts/${uuid}"`);
  });

  it('lead from a deposit to the account and the callback', async () => {
    const { text } = await submitForm(`${upstream.url}/sandbox/deposits`, {
      accountUuid: wallet.home.uuid,
      amount: '7.50',
    });
    expect(text).toContain('+7.50 GBP');
    expect(text).toContain(`href="/console/accounts/${wallet.home.uuid}"`);
    expect(text).toMatch(/href="\/console\/callbacks\/\d+"/);
  });

  it('lead a verification that waits to the hosted page', async () => {
    const { uuid, verification_url } = await createOwner(upstream);
    expect((await read(`/console/owners/${uuid}`)).text).toContain(`href="${verification_url}"`);
  });

  it('offer the buttons that the state allows, and the calls that do the same', async () => {
    const { body: slow } = await upstream.post<Schemas['Payout']>('/v1/payouts/', fpsBody(wallet, '16.16'));
    const { text } = await read(`/console/payouts/${slow.uuid}`);
    for (const action of ['complete', 'fail', 'error', 'refund', 'delay'])
      expect(text).toContain(`curl -X POST ${upstream.url}/sandbox/payouts/${slow.uuid}/${action}`);
    await upstream.post(`/sandbox/payouts/${slow.uuid}/fail`, {});
    const after = (await read(`/console/payouts/${slow.uuid}`)).text;
    expect(after).not.toContain('formaction');
    expect(after).toContain('only another attempt by the client can change that');
  });

  it('list by status, and page by page', async () => {
    for (let n = 0; n < 26; n++) await createOwner(upstream);
    const { text } = await read('/console/owners?status=PENDING');
    expect(text.match(/href="\/console\/owners\/[\w-]+"/g)).toHaveLength(25);
    expect(text).not.toContain(wallet.owner.uuid);
    const older = /href="(\/console\/owners\?status=PENDING&#38;before=\d+)"/.exec(text)?.[1] ?? '';
    const next = await read(older.replace('&#38;', '&'));
    expect(next.text.match(/href="\/console\/owners\/[\w-]+"/g)?.length).toBeGreaterThan(0);
    expect((await read('/console/payouts?status=nonsense')).text).toContain('No payout here');
  });

  it('show text of others as text', async () => {
    await deposit(upstream, wallet.home, '1.00', '<script>alert(1)</script>');
    const { text, headers } = await read(`/console/accounts/${wallet.home.uuid}`);
    expect(text).toContain('&#60;script&#62;alert(1)');
    expect(text).not.toContain('<script>alert');
    expect(headers.get('content-security-policy')).toContain("script-src 'self'");
  });

  it.each([
    'payouts/nothing',
    'accounts/nothing',
    'owners/x',
    'movements/x',
    'transfers/x',
    'callbacks/99999',
  ])('say that there is no %s', async (path) => {
    expect(await read(`/console/${path}`)).toMatchObject({
      status: 404,
      text: expect.stringContaining('no such'),
    });
  });
});

describe('callbacks as they happen', () => {
  it('are sent to a page that is open, each change once', async () => {
    const wallet = await fundedWallet(upstream, 'GBP', listener.url);
    const about = `/sandbox/callbacks?about=${wallet.home.uuid}`;
    await until(
      () => upstream.get<{ results: { state: string }[] }>(about),
      ({ body }) => body.results.every(({ state }) => state === 'delivered'),
      30_000,
    );
    const page = await read('/console/callbacks');
    const address = /hx-sse:connect="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const stop = new AbortController();
    const stream = await fetch(upstream.url + address, { signal: stop.signal });
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    let received = '';
    const reading = (async () => {
      for await (const chunk of stream.body ?? []) received += Buffer.from(chunk).toString();
    })().catch(() => undefined);

    await deposit(upstream, wallet.home, '3.21');
    await until(
      () => received,
      (text) => text.includes('DEPOSIT 3.21 GBP') && text.includes('delivered'),
      30_000,
    );
    expect(received).not.toContain('1000.00');
    expect(received).toMatch(/^id: \d+$/m);
    stop.abort();
    await reading;
  });

  it('of a former run that still wait are listed after a restart', async () => {
    const data = mkdtempSync(join(tmpdir(), 'console-'));
    const closed = 'http://localhost:9/closed';
    const first = await startUpstream({ data });
    const { home } = await fundedWallet(first, 'GBP', closed);
    await first.close();
    const second = await startUpstream({ data });
    const { body } = await second.get<{ results: { event: string; uuid: string }[] }>('/sandbox/callbacks');
    expect(body.results).toEqual(
      expect.arrayContaining([expect.objectContaining({ event: 'movement.created', uuid: home.uuid })]),
    );
    await second.close();
    rmSync(data, { recursive: true });
  });
});
