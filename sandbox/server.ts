// HTTP: the provider's API, the identity providers, the pages and the tester's controls on one port.
import type { RequestListener } from 'node:http';
import express, { type NextFunction, type Request, type Response } from 'express';
import { controlRoutes } from './controls.ts';
import { faultInjectionPageRoutes } from './fault-injection/page-routes.ts';
import { identityRoutes } from './identity/routes.ts';
import { frontPage } from './pages/front.ts';
import { createProviderApi, isOfProvider } from './provider/api.ts';
import { problem, send, sendFault } from './provider/reply.ts';
import { verificationRoutes } from './verification.ts';
import type { World } from './world.ts';

/** The provider's API is served beside Express, whose general handling costs more than a call's work. */
export async function createListener(world: World): Promise<RequestListener> {
  const [provider, others] = [await createProviderApi(world), createServerApp(world)];
  return (request, response) => (isOfProvider(request) ? provider : others)(request, response);
}

function createServerApp(world: World): RequestListener {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use(express.json({ strict: false }));
  app.use(['/verify', '/identity', '/sandbox', '/fault-injection'], express.urlencoded({ extended: false }));

  const front = frontPage(world.baseUrl);
  app.get('/', (_request, response) => {
    response.type('html').send(front);
  });
  app.get('/health', (_request, response) => {
    response.json({ status: 'ok' });
  });
  app.use('/verify', verificationRoutes(world));
  app.use('/identity/a', identityRoutes(world, 'a'));
  app.use('/identity/b', identityRoutes(world, 'b'));
  app.use('/sandbox', controlRoutes(world));
  app.use('/fault-injection', faultInjectionPageRoutes(world));
  for (const [path, pages] of Object.entries(world.options.pages)) app.use(path, pages);
  app.use((_request, response) => send(response, problem('not_found', 'no such path')));
  app.use(faults(world));
  return app;
}

// Express recognises an error handler by its four parameters.
function faults(world: World) {
  return (error: unknown, _request: Request, response: Response, next: NextFunction): void => {
    if (response.headersSent) next(error);
    else sendFault(world, response, error);
  };
}
