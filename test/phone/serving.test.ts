// The phone over HTTP: one page, one script and one sheet of styles, and no other file of the project.
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

test('the script and the styles import nothing else, and the source map shows the TypeScript of the phone and its client', async () => {
  const [script, styles, map] = await Promise.all(
    ['phone.js', 'styles.css', 'phone.js.map'].map(async (name) => {
      const response = await fetch(`${base}/phone/${name}`);
      return { type: response.headers.get('content-type') ?? '', text: await response.text() };
    }),
  );
  expect([script?.type, styles?.type]).toEqual(['text/javascript; charset=utf-8', 'text/css; charset=utf-8']);
  expect(script?.text).not.toMatch(/^import\b/m);
  expect(styles?.text).not.toContain('@import');
  const { sources } = JSON.parse(map?.text ?? '') as { sources: string[] };
  expect(sources).toContain('screens/pay-confirm.ts');
  expect(sources.filter((source) => source.includes('packages/client/src/')).length).toBeGreaterThan(5);
});

test.each(['/phone/app/main.ts', '/phone/main.ts', '/phone/%2e%2e%2fpackage.json', '/phone/no-such-file.js'])(
  'the phone does not serve %s',
  async (path) => {
    expect((await fetch(base + path)).status).toBe(404);
  },
);
