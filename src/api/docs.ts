// The contract for people and machines: /openapi.json, and /docs, which renders it without loading anything from
// elsewhere.
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createGunzip } from 'node:zlib';
import { type RequestHandler, Router } from 'express';
import { compressedDocument } from './compression.ts';

/** The reference page's script in one compressed file; `npm run generate` takes it from Scalar's package. */
const script = fileURLToPath(new URL('../../openapi/generated/reference.js.gz', import.meta.url));
const scriptUrl = '/docs/assets/reference.js';

/** Pictures of the journey and of the statuses; `npm run generate` draws them from the machines. */
const diagrams = fileURLToPath(new URL('../../openapi/generated/diagrams', import.meta.url));

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b5d4f"/><path d="M4 22h24M6 22c0-14 20-14 20 0M11 15v7M16 12v10M21 15v7" fill="none" stroke="#fff" stroke-width="2"/></svg>`;

/** Scalar's greys and greens are too pale to be read by everybody: these have the contrast that WCAG asks for. */
const contrast = [
  '.light-mode{--scalar-color-2:#4a4a4a;--scalar-color-3:#595959;--scalar-color-green:#04704b}',
  '.dark-mode{--scalar-color-3:#a8a8a8}',
].join('');

/** Settings of the page: all that would call another server is turned off. */
const configuration = {
  url: '/openapi.json',
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
};

/** Routes for the bundled contract; they need no session and touch no data. */
export function docsRouter(document: object): Router {
  const router = Router();
  // Serialised once: it is long, and anonymous callers may fetch it.
  const text = JSON.stringify(document);
  const json = { type: 'application/json; charset=utf-8', cacheControl: 'no-cache' };
  router.get(
    '/openapi.json',
    compressedDocument(async () => text, json),
  );
  router.get('/docs', sendPage);
  router.get(scriptUrl, sendScript);
  router.get('/docs/diagrams/:name', sendDiagram);
  router.get('/favicon.ico', (_request, response) => {
    response.set('cache-control', 'max-age=86400').type('image/svg+xml').send(icon);
  });
  return router;
}

const sendPage: RequestHandler = (_request, response) => {
  const nonce = randomBytes(16).toString('base64');
  response.set({
    'content-security-policy': contentSecurityPolicy(nonce),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  response.type('html').send(page(nonce));
};

/** Sent as stored, which costs nothing; a client that does not accept gzip gets it decompressed. */
const sendScript: RequestHandler = (request, response, next) => {
  response.type('js').vary('Accept-Encoding');
  if (request.acceptsEncodings('gzip') === false) {
    pipeline(createReadStream(script), createGunzip(), response, (fault) => {
      if (fault && !response.headersSent) next(fault);
    });
    return;
  }
  response.set('content-encoding', 'gzip');
  // The address carries no version, so a copy is revalidated after an hour instead of kept permanently.
  response.sendFile(script, { maxAge: '1h', dotfiles: 'allow' }, (fault?: Error) => {
    if (fault && !response.headersSent) next(fault);
  });
};

/** Four names and no others, so no path can lead elsewhere. */
const sendDiagram: RequestHandler<{ name: string }> = ({ params: { name } }, response, next) => {
  if (!/^(journey|payment|withdrawal|verification)\.svg$/.test(name)) {
    next();
    return;
  }
  response.sendFile(name, { root: diagrams, maxAge: '1h' }, (fault?: Error) => {
    if (fault && !response.headersSent) next(fault);
  });
};

const page = (nonce: string): string => `<!doctype html>
<html lang="en">
  <head>
    <title>Ponte API</title>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta property="csp-nonce" content="${nonce}" />
  </head>
  <body>
    <div id="app"></div>
    <script src="${scriptUrl}" nonce="${nonce}"></script>
    <script nonce="${nonce}">Scalar.createApiReference('#app', ${JSON.stringify(configuration)})</script>
  </body>
</html>
`;

/** Scripts only from here and by nonce; the page sets its own inline styles, which are harmless without scripts. */
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
