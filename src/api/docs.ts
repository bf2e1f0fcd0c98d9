// The contract for people and for machines: /openapi.json as it is, and /docs that renders it, with no help from outside.
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { apiReference } from '@scalar/express-api-reference';
import { Router } from 'express';
import { compressedDocument } from './compression.ts';

// The package does not export its browser build, so the way to it starts at its package.json.
const scalar = dirname(findPackageJSON('@scalar/api-reference', import.meta.url) as string);
const script = join(scalar, 'dist/browser/standalone.js');
const scriptUrl = '/docs/assets/standalone.js';

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b5d4f"/><path d="M4 22h24M6 22c0-14 20-14 20 0M11 15v7M16 12v10M21 15v7" fill="none" stroke="#fff" stroke-width="2"/></svg>`;

/** Routes for the bundled contract; they need no session and touch no data. */
export function docsRouter(document: object): Router {
  const router = Router();
  // Written once: it is long, and anybody may ask for it.
  const text = JSON.stringify(document);
  const json = { type: 'application/json; charset=utf-8', cacheControl: 'no-cache' };
  router.get(
    '/openapi.json',
    compressedDocument(async () => text, json),
  );
  router.get('/docs', page);
  // The address carries no version, so a copy is fetched again after an hour instead of kept for ever.
  const javascript = { type: 'text/javascript; charset=utf-8', cacheControl: 'public, max-age=3600' };
  router.get(
    scriptUrl,
    compressedDocument(() => readFile(script), javascript),
  );
  router.get('/favicon.ico', (_request, response) => {
    response.set('cache-control', 'max-age=86400').type('image/svg+xml').send(icon);
  });
  return router;
}

const page: ReturnType<typeof apiReference> = (request, response, next) => {
  const nonce = randomBytes(16).toString('base64');
  response.set({
    'content-security-policy': contentSecurityPolicy(nonce),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  const render = apiReference({
    url: '/openapi.json',
    cdn: scriptUrl,
    nonce,
    pageTitle: 'Ponte API',
    favicon: '/favicon.ico',
    orderSchemaPropertiesBy: 'preserve',
    // Everything below would otherwise speak to a server that is not this one.
    withDefaultFonts: false,
    telemetry: false,
    proxyUrl: '',
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: 'never',
    hideClientButton: true,
  });
  render(request, response, next);
};

/** Scripts only from here and by nonce; inline styles are how the page sets its own, and harm nothing without scripts. */
function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
