// Serves the contract: /openapi.json for programs, and /docs for people. The page loads nothing from other servers.
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { apiReference } from '@scalar/express-api-reference';
import { type RequestHandler, Router } from 'express';
import { compressedDocument, packedDocument } from './compression.ts';

/** The script of the reference page, in one compressed file. `npm run generate` copies it from Scalar's package. */
const packedScript = new URL('../../openapi/generated/reference.js.gz', import.meta.url);
const scriptUrl = '/docs/assets/reference.js';

/** Diagrams of the user journey and of the statuses. `npm run generate` draws them from the machines. */
const diagrams = new URL('../../openapi/generated/diagrams/', import.meta.url);

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b5d4f"/><path d="M4 22h24M6 22c0-14 20-14 20 0M11 15v7M16 12v10M21 15v7" fill="none" stroke="#fff" stroke-width="2"/></svg>`;

/** Darker greys and greens with the contrast that WCAG requires. Scalar's own colours are too pale. */
const contrast = [
  '.light-mode{--scalar-color-2:#4a4a4a;--scalar-color-3:#595959;--scalar-color-green:#04704b}',
  '.dark-mode{--scalar-color-3:#a8a8a8}',
].join('');

/** The page's settings. Every feature that would call another server is disabled. */
const configuration = {
  pageTitle: 'Ponte API',
  cdn: scriptUrl,
  favicon: '/favicon.ico',
  orderSchemaPropertiesBy: 'preserve',
  customCss: contrast,
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: '',
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
} as const;

/**
 * Creates the routes that serve the bundled contract. They need no session and read no data. All documents are kept in memory.
 * @param sandboxValues a text about the sandbox for operations, by their id. The page shows it, and the contract does not have it.
 */
export function docsRouter(document: object, sandboxValues: Record<string, string> | null = null): Router {
  const router = Router();
  const json = { type: 'application/json; charset=utf-8', cacheControl: 'no-cache' };
  router.get('/openapi.json', compressedDocument(JSON.stringify(document), json));
  if (sandboxValues !== null)
    router.get('/docs/openapi.json', compressedDocument(withSandboxValues(document, sandboxValues), json));
  router.get('/docs', sendPage(sandboxValues === null ? '/openapi.json' : '/docs/openapi.json'));
  // The URL has no version in it, so clients revalidate their copy after an hour instead of keeping it permanently.
  const script = { type: 'text/javascript; charset=utf-8', cacheControl: 'public, max-age=3600' };
  router.get(scriptUrl, packedDocument(readFileSync(packedScript), script));
  const svg = { type: 'image/svg+xml; charset=utf-8', cacheControl: 'public, max-age=3600' };
  for (const name of readdirSync(diagrams))
    router.get(
      `/docs/diagrams/${name}`,
      compressedDocument(readFileSync(new URL(name, diagrams), 'utf8'), svg),
    );
  router.get('/favicon.ico', (_request, response) => {
    response.set('cache-control', 'max-age=86400').type('image/svg+xml').send(icon);
  });
  return router;
}

/** Returns the document as JSON, with each text at the end of its operation's description. */
const withSandboxValues = (document: object, sandboxValues: Record<string, string>): string =>
  JSON.stringify(document, (_name, part: { operationId?: string; description?: string } | null) => {
    const text = sandboxValues[part?.operationId ?? ''];
    return text === undefined ? part : { ...part, description: `${part?.description}\n\n${text}` };
  });

/** @param url the document that the page shows. */
const sendPage =
  (url: string): RequestHandler<never, string> =>
  (request, response, next) => {
    const nonce = randomBytes(16).toString('base64');
    response.set({
      'content-security-policy': contentSecurityPolicy(nonce),
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    const send = response.send.bind(response);
    // Scalar's page does not declare its language, which screen readers need.
    response.send = (html) => send(html?.replace('<html>', '<html lang="en">'));
    apiReference({ ...configuration, url, nonce })(request, response, next);
  };

/**
 * Allows scripts only from this server or with the nonce. Inline styles are allowed, because the page needs them and
 * they are harmless without scripts.
 */
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
