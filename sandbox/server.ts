// HTTP: the provider's API, the identity providers, the pages and the tester's controls on one port.
import type { RequestListener } from 'node:http';
import express, { type NextFunction, type Request, type Response } from 'express';
import { consoleRoutes } from './console/routes.ts';
import type { SandboxContext } from './context.ts';
import { controlRoutes } from './controls/routes.ts';
import { sameOriginOnly } from './controls/same-origin.ts';
import { faultInjectionPageRoutes } from './faults/page-routes.ts';
import { identityRoutes } from './identity/routes.ts';
import { isForSandbox } from './own-host.ts';
import { frontPage } from './pages/front.ts';
import { createProviderApi, isOfProvider } from './provider/api.ts';
import { problem, send, sendFault } from './provider/reply.ts';
import { verificationRoutes } from './verification.ts';

const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; base-uri 'none'";

/** Serves the provider's API without Express, whose general handling costs more than a call's work. */
export async function createListener(context: SandboxContext): Promise<RequestListener> {
  const [provider, others] = [await createProviderApi(context), createServerApp(context)];
  return (request, response) => {
    if (!isForSandbox(request, context.baseUrl))
      return send(response, problem('invalid_request', 'the sandbox has another name', 421));
    return (isOfProvider(request) ? provider : others)(request, response);
  };
}

function createServerApp(context: SandboxContext): RequestListener {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use(express.json({ strict: false }));
  app.use(['/sandbox', '/fault-injection'], sameOriginOnly);
  app.use(pageHeaders);
  app.use(['/verify', '/identity', '/sandbox', '/fault-injection'], express.urlencoded({ extended: false }));

  const front = frontPage(context.baseUrl);
  app.get('/', (_request, response) => {
    response.type('html').send(front);
  });
  app.get('/health', (_request, response) => {
    response.json({ status: 'ok' });
  });
  app.use('/verify', verificationRoutes(context));
  app.use('/identity/a', identityRoutes(context, 'a'));
  app.use('/identity/b', identityRoutes(context, 'b'));
  app.use('/sandbox', controlRoutes(context));
  app.use('/fault-injection', faultInjectionPageRoutes(context));
  for (const [path, pages] of Object.entries(context.options.pages)) app.use(path, pages);
  app.use('/console', consoleRoutes(context));
  app.use((_request, response) => send(response, problem('not_found', 'no such path')));
  app.use(faults(context));
  return app;
}

/** Restricts the scripts, forms and connections of the pages to the sandbox itself. */
function pageHeaders(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader('content-security-policy', CONTENT_SECURITY_POLICY);
  next();
}

// Express recognises an error handler by its four parameters.
function faults(context: SandboxContext) {
  return (error: unknown, _request: Request, response: Response, next: NextFunction): void => {
    if (response.headersSent) next(error);
    else sendFault(context, response, error);
  };
}
