// The console's pages over HTTP: their content and links, and the stream of callbacks.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

test.each([
  ['/console', 'What to do first'],
  ['/console/owners', 'start the verification'],
  ['/console/accounts', 'Complete one first'],
  ['/console/transfers', 'Pay money in'],
  ['/console/payouts', 'slow@pix.example'],
  ['/console/callbacks', 'Pay money in'],
  ['/console/ledger', 'Pay money in'],
])('the page %s of an empty sandbox says what to do first', async (path, text) => {
  const fresh = await startUpstream();
  expect(await read(path, fresh)).toMatchObject({ status: 200, text: expect.stringContaining(text) });
  await fresh.close();
});

test('the console of an empty sandbox links to the phone if the sandbox serves it', async () => {
  const fresh = await startUpstream({ pages: { '/phone': (_request, response) => void response.end() } });
  for (const path of ['/console', '/console/owners', '/console/payouts'])
    expect((await read(path, fresh)).text).toContain('href="/phone/"');
  await fresh.close();
});

describe('the pages of the console', () => {
  let wallet: Wallet;
  let payout: Schemas['Payout'];
  let conversion: Schemas['InternalTransfer'];
  beforeAll(async () => {
    wallet = await fundedWallet(upstream, 'GBP', listener.url);
    conversion = await convert(upstream, wallet, '100.00');
    payout = (await upstream.post<Schemas['Payout']>('/v1/payouts/', pixBody(wallet, '10.00'))).body;
  });

  test("a payout's page links to its account, its ledger entries and its callbacks", async () => {
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

  test("a conversion's page links to both accounts, and an account's page to its owner", async () => {
    const { text } = await read(`/console/transfers/${conversion.uuid}`);
    for (const { uuid } of [wallet.home, wallet.brl])
      expect(text).toContain(`href="/console/accounts/${uuid}"`);
    const account = await read(`/console/accounts/${wallet.home.uuid}`);
    expect(account.text).toContain(`href="/console/owners/${wallet.owner.uuid}"`);
    const user = await read(`/console/owners/${wallet.owner.uuid}`);
    for (const { uuid } of [wallet.home, wallet.brl])
      expect(user.text).toContain(`href="/console/accounts/${uuid}"`);
  });

  test("a deposit's page links to the account and the callback", async () => {
    const { text } = await submitForm(`${upstream.url}/sandbox/deposits`, {
      accountUuid: wallet.home.uuid,
      amount: '7.50',
    });
    expect(text).toContain('+7.50 GBP');
    expect(text).toContain(`href="/console/accounts/${wallet.home.uuid}"`);
    expect(text).toMatch(/href="\/console\/callbacks\/\d+"/);
  });

  test('the page of a waiting verification links to the hosted page', async () => {
    const { uuid, verification_url } = await createOwner(upstream);
    expect((await read(`/console/owners/${uuid}`)).text).toContain(`href="${verification_url}"`);
  });

  test("a resource's page offers the buttons that the state allows, and the equivalent calls", async () => {
    const { body: slow } = await upstream.post<Schemas['Payout']>('/v1/payouts/', fpsBody(wallet, '16.16'));
    const { text } = await read(`/console/payouts/${slow.uuid}`);
    for (const action of ['complete', 'fail', 'error', 'refund', 'delay'])
      expect(text).toContain(`curl -X POST ${upstream.url}/sandbox/payouts/${slow.uuid}/${action}`);
    await upstream.post(`/sandbox/payouts/${slow.uuid}/fail`, {});
    const after = (await read(`/console/payouts/${slow.uuid}`)).text;
    expect(after).not.toContain('formaction');
    expect(after).toContain('only another attempt by the client can change that');
  });

  test('a search finds a payout and an account by the ids that the app shows', async () => {
    const foundBy = async (text: string | null) =>
      (await fetch(`${upstream.url}/console/find?q=${encodeURIComponent(text ?? '')}`)).url;
    const arrived = await until(
      () => upstream.get<Schemas['Payout']>(`/v1/payouts/${payout.uuid}/`),
      ({ body }) => body.end_to_end_id !== null,
    );
    const address = `${upstream.url}/console/payouts/${payout.uuid}`;
    expect(await foundBy(arrived.body.end_to_end_id)).toBe(address);
    expect(await foundBy(arrived.body.voucher_id)).toBe(address);
    const { uuid } = wallet.home;
    const { body: home } = await upstream.get<Schemas['Account']>(`/v1/accounts/${uuid}/`);
    const number = home.deposit_instructions?.account_number ?? home.deposit_instructions?.iban ?? null;
    expect(number).not.toBeNull();
    expect(await foundBy(number)).toBe(`${upstream.url}/console/accounts/${uuid}`);
  });

  test('the console has no links to the phone if the sandbox does not serve it', async () => {
    for (const path of [
      `payouts/${payout.uuid}`,
      `accounts/${wallet.home.uuid}`,
      `owners/${wallet.owner.uuid}`,
    ])
      expect((await read(`/console/${path}`)).text).not.toContain('On the phone');
  });

  test('a search finds what an id of the client stands for, if the sandbox knows its handles', async () => {
    const fresh = await startUpstream({ handlesOf: (id) => [`unused-${id}`, `payout-${id}`] });
    try {
      const body = { ...fpsBody(await fundedWallet(fresh), '3.00'), origin_id: 'payout-ours' };
      const { uuid } = (await fresh.post<Schemas['Payout']>('/v1/payouts/', body)).body;
      const foundBy = (id: string) => fetch(`${fresh.url}/console/find?q=${id}`);
      expect((await foundBy('OURS')).url).toBe(`${fresh.url}/console/payouts/${uuid}`);
      expect((await foundBy('theirs')).status).toBe(404);
    } finally {
      await fresh.close();
    }
  });

  test('a search finds the page of a resource by its uuid and by its handle', async () => {
    const foundBy = async (text: string) => (await fetch(`${upstream.url}/console/find?q=${text}`)).url;
    const address = `${upstream.url}/console/payouts/${payout.uuid}`;
    expect(await foundBy(payout.uuid.toUpperCase())).toBe(address);
    expect(await foundBy(payout.origin_id)).toBe(address);
    expect(await foundBy(wallet.home.external_id)).toBe(
      `${upstream.url}/console/accounts/${wallet.home.uuid}`,
    );
    expect((await read('/console/find?q=nothing')).status).toBe(404);
  });

  test('the console lists resources by status, and page by page', async () => {
    for (let n = 0; n < 26; n++) await createOwner(upstream);
    const { text } = await read('/console/owners?status=PENDING');
    expect(text.match(/href="\/console\/owners\/[\w-]+"/g)).toHaveLength(25);
    expect(text).not.toContain(wallet.owner.uuid);
    const older = /href="(\/console\/owners\?status=PENDING&#38;before=\d+)"/.exec(text)?.[1] ?? '';
    const next = await read(older.replace('&#38;', '&'));
    expect(next.text.match(/href="\/console\/owners\/[\w-]+"/g)?.length).toBeGreaterThan(0);
    expect((await read('/console/payouts?status=nonsense')).text).toContain('No payout here');
  });

  test('the console escapes text that others wrote', async () => {
    await deposit(upstream, wallet.home, '1.00', '<script>alert(1)</script>');
    const { text, headers } = await read(`/console/accounts/${wallet.home.uuid}`);
    expect(text).toContain('&#60;script&#62;alert(1)');
    expect(text).not.toContain('<script>alert');
    expect(headers.get('content-security-policy')).toContain("script-src 'self'");
  });

  test.each([
    'payouts/nothing',
    'accounts/nothing',
    'owners/x',
    'movements/x',
    'transfers/x',
    'callbacks/99999',
  ])('the console answers 404 for %s', async (path) => {
    expect(await read(`/console/${path}`)).toMatchObject({
      status: 404,
      text: expect.stringContaining('no such'),
    });
  });
});

test('an open page receives each change of a callback once', async () => {
  const wallet = await fundedWallet(upstream, 'GBP', listener.url);
  const about = `/sandbox/callbacks?about=${wallet.home.uuid}`;
  await until(
    () => upstream.get<{ results: { state: string }[] }>(about),
    ({ body }) => body.results.every(({ state }) => state === 'delivered'),
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
  );
  expect(received).not.toContain('1000.00');
  expect(received).toMatch(/^id: \d+$/m);
  stop.abort();
  await reading;
});

test('waiting callbacks of a former run are listed after a restart', async () => {
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
