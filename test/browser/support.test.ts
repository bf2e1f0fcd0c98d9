// The support of the browser tests: it finds what a page must not do.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axe, browserPath, closeBrowser, openPage } from '../support/browser.ts';
import { until } from '../support/until.ts';

const good = '<html lang="en"><title>Good</title><main><h1>Good</h1></main></html>';
const bad = `<html><title>Bad</title><main><h1>Bad</h1><input><p style="color: #999; background: #fff">Pale</p></main>
<script>console.error('broken'); fetch('/missing'); fetch('http://elsewhere.invalid/').catch(() => undefined);</script>`;

let server: Server;
let base: string;

beforeAll(async () => {
  server = createServer(({ url }, response) => {
    const content = { '/good': good, '/bad': bad }[url ?? ''];
    response.writeHead(content === undefined && url !== '/favicon.ico' ? 404 : 200, {
      'content-type': 'text/html',
    });
    response.end(content);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await closeBrowser();
  server.closeAllConnections();
  server.close();
});

describe.skipIf(browserPath === null)('in a browser', () => {
  test('a correct page has no complaints and no violations', async () => {
    const { page, complaints, close } = await openPage(`${base}/good`);
    expect(await axe(page)).toEqual([]);
    expect(complaints).toEqual({ console: [], elsewhere: [], failed: [] });
    await close();
  });

  test('a faulty page has each complaint and violation, by name', async () => {
    const { page, complaints, close } = await openPage(`${base}/bad`);
    const rules = (await axe(page)).map(({ rule }) => rule);
    expect(rules).toEqual(expect.arrayContaining(['color-contrast', 'html-has-lang', 'label']));
    expect((await axe(page, { except: ['label'] })).map(({ rule }) => rule)).not.toContain('label');
    await until(
      async () => complaints.failed,
      ({ length }) => length >= 2,
    );
    expect(complaints.console).toContain('broken');
    expect(complaints.elsewhere).toEqual(['http://elsewhere.invalid/']);
    expect(complaints.failed.toSorted()).toEqual([
      `404 GET ${base}/missing`,
      expect.stringMatching(/^net::\w+ GET http:\/\/elsewhere\.invalid\/$/),
    ]);
    await close();
  });
});
