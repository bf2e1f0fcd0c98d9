// The phone over HTTP: everything that its modules import is served in a form that a browser can run.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { phoneRoutes } from '../../phone/serve/routes.ts';

let server: Server;
let base: string;
beforeAll(async () => {
  server = createServer(express().use('/phone', phoneRoutes('https://api.example/'))).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test("the page names no host other than the API's, and its policy allows no other", async () => {
  const response = await fetch(`${base}/phone/`);
  const html = await response.text();
  expect([...html.matchAll(/https?:\/\/[^"\s<]+/g)].map(([address]) => address)).toEqual([
    'https://api.example',
  ]);
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy).toContain(`default-src 'none'`);
  expect(policy).toContain(`connect-src 'self' https://api.example;`);
  expect(policy).not.toContain('unsafe');
});

test('every module that another one imports is served without its types', async () => {
  const map = await importMap();
  const seen = new Set<string>();
  const queue = [`${base}/phone/app/main.ts`];
  for (const address of queue) {
    if (seen.has(address)) continue;
    seen.add(address);
    const response = await fetch(address);
    expect([address, response.status]).toEqual([address, 200]);
    expect(response.headers.get('content-type')).toContain('text/javascript');
    const code = await response.text();
    expect(code).not.toMatch(/^(import|export) type /m);
    for (const [, name = ''] of code.matchAll(/(?:from|import)\s*["']([^"']+)["']/g))
      queue.push(new URL(map[name] ?? name, address).href);
  }
  expect([...seen].filter((address) => address.includes('/app/')).length).toBeGreaterThan(40);
});

test.each([
  '/phone/app/tsconfig.json',
  '/phone/app/../serve/routes.ts',
  '/phone/app/%2e%2e/serve/routes.ts',
  '/phone/app/..%2f..%2fpackage.json',
  '/phone/app/no-such-file.ts',
  '/phone/libraries/typescript.js',
])('the phone does not serve %s', async (path) => {
  expect((await fetch(base + path)).status).toBe(404);
});

async function importMap(): Promise<Record<string, string>> {
  const html = await (await fetch(`${base}/phone/`)).text();
  const [, json = ''] = /<script type="importmap">(.*)<\/script>/.exec(html) ?? [];
  return (JSON.parse(json) as { imports: Record<string, string> }).imports;
}
