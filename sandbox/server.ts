// HTTP: the provider's API, the identity providers, the pages and the tester's controls on one port.
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { controlRoutes } from './controls.ts';
import { faultInjectionPageRoutes } from './fault-injection/page-routes.ts';
import { identityRoutes } from './identity/routes.ts';
import { frontPage } from './pages/front.ts';
import { createProviderApi, problem, send } from './provider/api.ts';
import { Refusal } from './provider/refusal.ts';
import { verificationRoutes } from './verification.ts';
import type { World } from './world.ts';

export async function createServerApp(world: World): Promise<Express> {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use(express.json({ strict: false }));
  app.use(['/verify', '/identity', '/sandbox', '/fault-injection'], express.urlencoded({ extended: false }));

  const provider = await createProviderApi(world);
  app.use(async (request, response, next) => {
    if (request.path.startsWith('/v1/')) await provider(request, response);
    else next();
  });

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
  app.use((_request, response) => send(response, problem('not_found', 'no such path')));
  app.use(faults(world));
  return app;
}

/** A client's error before any handler ran keeps its status; everything else is a fault of ours. */
function faults(world: World) {
  return (error: unknown, _request: Request, response: Response, next: NextFunction): void => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const { status } = error as { status?: unknown };
    if (error instanceof Refusal) send(response, problem('invalid_request', error.message));
    else if (error instanceof URIError)
      send(response, problem('invalid_request', 'the path is not well escaped'));
    else if (typeof status === 'number' && status >= 400 && status < 500)
      send(response, problem('invalid_request', 'the body cannot be read', status));
    else {
      world.options.log(`sandbox: ${error instanceof Error ? error.stack : String(error)}`);
      send(response, { status: 500, body: { code: 'internal', detail: 'a fault of the sandbox' } });
    }
  };
}
