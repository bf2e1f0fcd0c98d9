// The documentation over HTTP, and in a browser if the machine has one. It must work without any network.
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { findPackageJSON } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import express from 'express';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import document from '../../openapi/generated/openapi.json' with { type: 'json' };
import sandboxValues from '../../openapi/generated/sandbox-values.json' with { type: 'json' };
import { CHAPTERS } from '../../sandbox/magic.ts';
import { docsRouter } from '../../src/api/docs.ts';
import { startBareApi } from '../support/bare-api.ts';
import { axe, browserPath, closeBrowser, openPage } from '../support/browser.ts';
import { until } from '../support/until.ts';

const servers: Server[] = [];
let base: string;
let besideSandbox: string;

async function serve(...options: Parameters<typeof docsRouter>): Promise<string> {
  const server = express()
    .use(docsRouter(...options))
    .listen(0, '127.0.0.1');
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  [base, besideSandbox] = await Promise.all([serve(document), serve(document, sandboxValues)]);
});
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

test('/openapi.json is the bundle, unchanged, also beside the sandbox', async () => {
  for (const url of [base, besideSandbox]) {
    const response = await fetch(`${url}/openapi.json`);
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(await response.json()).toEqual(document);
  }
});

test('/docs names no other host and allows only its own scripts, by a nonce that is never repeated', async () => {
  const [first, second] = await Promise.all([fetch(`${base}/docs`), fetch(`${base}/docs`)]);
  const html = await first.text();
  const nonce = /'nonce-([^']+)'/.exec(first.headers.get('content-security-policy') ?? '')?.[1];
  expect(nonce).toBeTruthy();
  expect(html).toContain(`nonce="${nonce}"`);
  expect(html).not.toMatch(/https?:\/\//);
  expect(first.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(first.headers.get('content-security-policy')).not.toMatch(/script-src[^;]*unsafe/);
  expect(second.headers.get('content-security-policy')).not.toContain(nonce);
});

test.each([
  ['/docs/assets/reference.js', 'text/javascript; charset=utf-8'],
  ['/favicon.ico', 'image/svg+xml'],
  ['/docs/diagrams/journey.svg', 'image/svg+xml; charset=utf-8'],
  ['/docs/diagrams/payment.svg', 'image/svg+xml; charset=utf-8'],
  ['/docs/diagrams/withdrawal.svg', 'image/svg+xml; charset=utf-8'],
  ['/docs/diagrams/verification.svg', 'image/svg+xml; charset=utf-8'],
])('%s is served by the service itself', async (url, type) => {
  const response = await fetch(`${base}${url}`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toContain(type);
  expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(100);
});

test.each(['/openapi.json', '/docs/assets/reference.js', '/docs/diagrams/payment.svg'])(
  '%s is not sent again to a client that has it',
  async (path) => {
    const etag = (await fetch(`${base}${path}`)).headers.get('etag') ?? '';
    const statusWith = async (version: string) =>
      // Without its own Cache-Control, fetch would ask for a new copy.
      (await fetch(`${base}${path}`, { headers: { 'if-none-match': version, 'cache-control': 'max-age=0' } }))
        .status;
    expect(await statusWith(etag)).toBe(304);
    expect(await statusWith('W/"another"')).toBe(200);
  },
);

test('a picture that does not exist is not found', async () => {
  expect((await fetch(`${base}/docs/diagrams/..%2Fopenapi.json`)).status).toBe(404);
});

test('the pictures show the statuses that an app sees, and nothing of the flow through USDC', async () => {
  const svg = await (await fetch(`${base}/docs/diagrams/payment.svg`)).text();
  for (const status of ['converting', 'paying', 'completed', 'payout_failed', 'refunded', 'manual_review'])
    expect(svg).toContain(`>${status}<`);
  expect(svg).not.toMatch(/leg|USDC|direct/);
});

const { description } = document.info;

test('the introduction has what a client team asks for, the journey first, and Health is the last tag', () => {
  const titles = [...description.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
  expect(titles[0]).toBe('The journey');
  for (const title of ['Authentication', 'Money and time', 'Errors', 'Repeating safely', 'Polling', 'Lists'])
    expect(titles).toContain(title);
  for (const title of ['Statuses', 'What may change', 'Clients', 'The sandbox'])
    expect(titles).toContain(title);
  expect(document.tags.at(-1)?.name).toBe('Health');
});

test('the contract names no magic value, and /docs without the sandbox shows the contract', async () => {
  expect(JSON.stringify(document)).not.toMatch(/(fail|recover|unknown|slow)@pix\.example/);
  expect((await fetch(`${base}/docs/openapi.json`)).status).toBe(404);
  expect(await (await fetch(`${base}/docs`)).text()).toContain('"/openapi.json"');
});

test('a service beside another provider has no document with magic values', async () => {
  const api = await startBareApi(() => undefined);
  try {
    expect((await fetch(`${api.url}/docs`)).status).toBe(200);
    expect((await fetch(`${api.url}/docs/openapi.json`)).status).toBe(404);
  } finally {
    await api.stop();
  }
});

test('/docs beside the sandbox shows a document that differs from the contract only in the texts about the sandbox', async () => {
  expect(await (await fetch(`${besideSandbox}/docs`)).text()).toContain('"/docs/openapi.json"');
  const text = await (await fetch(`${besideSandbox}/docs/openapi.json`)).text();
  const texts: Record<string, string> = sandboxValues;
  const without = JSON.parse(text, (_name, part: { operationId?: string; description?: string } | null) => {
    const own = texts[part?.operationId ?? ''];
    return own === undefined ? part : { ...part, description: part?.description?.replace(`\n\n${own}`, '') };
  });
  expect(without).toEqual(document);
  expect(text).not.toBe(JSON.stringify(document));
});

test.each([
  ['startKyc', 'Verification'],
  ['restartKyc', 'Verification'],
  ['createPixQuote', 'Quotes'],
  ['createPixPayment', 'Conversions'],
  ['lookUpPixRecipient', 'Look-ups'],
  ['readPixCode', 'Codes'],
  ['createPixPayment', 'Checks before a PIX payment'],
  ['createPixPayment', 'PIX payouts'],
  ['contestPixPayment', 'Contestations'],
  ['createWithdraw', 'Withdraws'],
  ['saveBankDetails', 'Bank account checks'],
  ['checkBankDetails', 'Bank account checks'],
] as const)('%s lists the magic values of %s as an app sends them', (operation, title) => {
  expect(sandboxValues[operation]).toMatch(/^\*\*Only in the sandbox:\*\*/);
  const rows = CHAPTERS.find((chapter) => chapter.title === title)?.rows ?? [];
  for (const { value, meaning } of rows) {
    const sent = title === 'Withdraws' ? String(Math.round(Number(value) * 100)) : value;
    expect(sandboxValues[operation]).toContain(`- \`${sent}\`: ${meaning}`);
  }
});

test.each([
  ['gzip, deflate, br', 'gzip'],
  ['identity', null],
])(
  'the script for a client that accepts %s is that of the package, sent as %s',
  async (accepted, encoding) => {
    const response = await fetch(`${base}/docs/assets/reference.js`, {
      headers: { 'accept-encoding': accepted },
    });
    expect(response.headers.get('content-encoding')).toBe(encoding);
    expect(response.headers.get('vary')).toBe('Accept-Encoding');
    const folder = dirname(findPackageJSON('@scalar/api-reference', import.meta.url) as string);
    const made = readFileSync(join(folder, 'dist/browser/standalone.js'));
    expect(made.equals(Buffer.from(await response.arrayBuffer()))).toBe(true);
  },
);

describe.skipIf(browserPath === null)('in a browser', () => {
  afterAll(closeBrowser);

  describe.each([
    ['at a phone, light', { width: 390, colorScheme: 'light' }],
    ['at a phone, dark', { width: 390, colorScheme: 'dark' }],
    ['at a desk, light', { width: 1280, colorScheme: 'light' }],
  ] as const)('%s', (_title, options) => {
    test('the documentation renders with its pictures, requests no other host, leaves the console clean, and breaks no rule of accessibility', async () => {
      const { page, complaints, close } = await openPage(`${besideSandbox}/docs`, options);
      await page.getByRole('heading', { name: 'The journey' }).first().waitFor();
      await page.locator('img[src$="payment.svg"]').scrollIntoViewIfNeeded();
      await until(
        () => page.evaluate<number[]>('[...document.images].map(({ naturalWidth }) => naturalWidth)'),
        (widths) => widths.length >= 4 && widths.every((width) => width > 0),
      );
      expect(await page.locator('html').getAttribute('lang')).toBe('en');
      const wider = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect(wider).toBeLessThanOrEqual(0);
      expect(complaints).toEqual({ console: [], elsewhere: [], failed: [] });
      // The page applies its colours and opens its sections gradually, so the check is repeated until it passes.
      await expect.poll(() => axe(page), { timeout: 30_000, interval: 500 }).toEqual([]);
      await close();
    });
  });

  test('the documentation is reached by keyboard: the focus moves through links and buttons', async () => {
    const { page, close } = await openPage(`${base}/docs`, { width: 1280 });
    await page.getByRole('heading', { name: 'The journey' }).first().waitFor();
    const reached = new Set<string>();
    for (let presses = 0; presses < 25; presses++) {
      await page.keyboard.press('Tab');
      reached.add(
        await page.evaluate<string>(
          '(({ tagName, textContent, ariaLabel }) => `${tagName} ${ariaLabel ?? textContent}`)(document.activeElement)',
        ),
      );
    }
    expect([...reached]).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/Search/),
        expect.stringMatching(/^A Session/),
        expect.stringMatching(/^A PIX/),
      ]),
    );
    await close();
  });

  test('an operation has its own address in the documentation, and shows its magic values', async () => {
    const { page, complaints, close } = await openPage(`${besideSandbox}/docs#tag/pix/POST/pix/payments`);
    await page.getByRole('heading', { name: 'Confirm a payment' }).first().waitFor();
    await page.getByRole('listitem').filter({ hasText: 'recover@pix.example' }).waitFor();
    expect(complaints).toEqual({ console: [], elsewhere: [], failed: [] });
    await close();
  });
});
