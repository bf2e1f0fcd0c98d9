// The documentation over HTTP, and in a browser where the machine has one: it must work with no network at all.
import { existsSync, readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { findPackageJSON } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import express from 'express';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import document from '../../openapi/generated/openapi.json' with { type: 'json' };
import { docsRouter } from '../../src/api/docs.ts';

const browserPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);
if (!browserPath) console.warn('No Chromium on this machine: the documentation is not tried in a browser.');

let server: Server;
let base: string;

beforeAll(async () => {
  server = express().use(docsRouter(document)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe('over HTTP', () => {
  test('/openapi.json is the bundle, unchanged', async () => {
    const response = await fetch(`${base}/openapi.json`);
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(await response.json()).toEqual(document);
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
    ['/docs/assets/reference.js', 'text/javascript'],
    ['/favicon.ico', 'image/svg+xml'],
  ])('%s is served from here', async (url, type) => {
    const response = await fetch(`${base}${url}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain(type);
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(100);
  });
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

describe.skipIf(!browserPath)('in a browser', () => {
  test('renders, sends no request to another host, and leaves the console clean', {
    timeout: 60_000,
  }, async () => {
    const browser = await chromium.launch({ executablePath: browserPath ?? '', args: ['--no-sandbox'] });
    try {
      const page = await browser.newPage();
      const elsewhere: string[] = [];
      const complaints: string[] = [];
      page.on('request', (request) => {
        if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(base))
          elsewhere.push(request.url());
      });
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('response', (response) => {
        if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
      });
      await page.goto(`${base}/docs#tag/pix/POST/pix/payments`);
      await page.getByRole('heading', { name: 'Confirm a payment' }).first().waitFor();
      // Long enough for whatever it would ask for once it stands.
      await page.waitForTimeout(1_500);
      expect(elsewhere).toEqual([]);
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
