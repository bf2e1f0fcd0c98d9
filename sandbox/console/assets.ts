// Serves the console's only script: htmx with its extension for server-sent events.
import { readFile } from 'node:fs/promises';
import { Router } from 'express';

const SCRIPT = new URL('../assets/htmx.js', import.meta.url);

export function assetRoutes(): Router {
  let script: Promise<Buffer> | undefined;
  const router = Router();
  router.get('/htmx.js', async (_request, response) => {
    // The script is read when the first page requests it.
    response.type('js').set('cache-control', 'max-age=3600');
    response.send(await (script ??= readFile(SCRIPT)));
  });
  return router;
}
