// Serves the phone at /phone: its page, and its script and styles. They are bundled for each request, so that a change appears with
// the next reload.
import { type Response, Router } from 'express';
import { bundle } from './bundle.ts';
import { pageFor } from './page.ts';

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
  router.get('/:file', (request, response, next) => sendFile(request.params.file, response).catch(next));
  return router;
}

async function sendFile(name: string, response: Response): Promise<void> {
  const contents = (await bundle()).get(name);
  if (contents) response.type(name).send(Buffer.from(contents));
  else response.status(404).type('text').send('no such file');
}
