// Serves the phone at /phone: its page, its modules, the client's modules and three small libraries. Files are read for each
// request, so that a change appears with the next reload.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Request, type Response, Router } from 'express';
import { LIBRARIES } from './libraries.ts';
import { pageFor } from './page.ts';
import { withoutTypes } from './without-types.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const SOURCES = { app: path.join(ROOT, 'phone/app'), client: path.join(ROOT, 'packages/client/src') };

/** @param apiUrl the address of the API, as the browser sees it. */
export function phoneRoutes(apiUrl: string): Router {
  const router = Router();
  const { html, policy } = pageFor(apiUrl);

  router.use((_request, response, next) => {
    response.set({ 'Cache-Control': 'no-cache', 'X-Content-Type-Options': 'nosniff' });
    next();
  });
  router.get('/', (_request, response) => {
    response.set('Content-Security-Policy', policy).type('html').send(html);
  });
  for (const [name, folder] of Object.entries(SOURCES))
    router.get(`/${name}/*file`, (request, response, next) =>
      sendSource(folder, request, response).catch(next),
    );
  for (const [specifier, file] of Object.entries(LIBRARIES))
    router.get(`/libraries/${specifier}.js`, async (_request, response) => {
      response.type('text/javascript').send(await readFile(file));
    });
  return router;
}

async function sendSource(folder: string, request: Request, response: Response): Promise<void> {
  const file = (request.params['file'] as unknown as string[]).join('/');
  const text = /^([\w-]+\/)*[\w-]+\.(ts|css)$/.test(file) ? await textOf(path.join(folder, file)) : null;
  if (text === null) response.status(404).type('text').send('no such file');
  else if (file.endsWith('.css')) response.type('css').send(text);
  else response.type('text/javascript').send(withoutTypes(text));
}

const textOf = (file: string): Promise<string | null> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'EISDIR') return null;
    throw error;
  });
