// The console's one script: htmx with its extensions for server-sent events, served from here.
import { readFile } from 'node:fs/promises';
import { Router } from 'express';

const SCRIPT = new URL('../assets/htmx.js', import.meta.url);

export function assetRoutes(): Router {
  let script: Promise<Buffer> | undefined;
  const router = Router();
  router.get('/htmx.js', async (_request, response) => {
    // Read when the first page asks for it.
    response.type('js').set('cache-control', 'max-age=3600');
    response.send(await (script ??= readFile(SCRIPT)));
  });
  return router;
}
