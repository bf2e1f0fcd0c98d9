// The console: pages that show everything the provider has. The pages only read. A button that changes something calls a route
// under /sandbox.
import { type Request, type Response, Router } from 'express';
import type { SandboxContext } from '../context.ts';
import { accountPage } from '../pages/console/account.ts';
import { callbackPage } from '../pages/console/callback.ts';
import { callbacksPage } from '../pages/console/callbacks.ts';
import { chargesPage } from '../pages/console/charges.ts';
import { ledgerPage } from '../pages/console/ledger.ts';
import { movementPage } from '../pages/console/movement.ts';
import { overviewPage } from '../pages/console/overview.ts';
import { payoutPage } from '../pages/console/payout.ts';
import { transferPage } from '../pages/console/transfer.ts';
import { userPage } from '../pages/console/user.ts';
import { refusedPage } from '../pages/layout.ts';
import { listPage } from '../pages/lists.ts';
import { Refusal, refuse } from '../provider/refusal.ts';
import { RESOURCES } from '../store/rows.ts';
import { assetRoutes } from './assets.ts';
import { addressOf } from './find.ts';
import type { ListQuery } from './lists.ts';
import { liveCallbacks } from './live.ts';

export function consoleRoutes(context: SandboxContext): Router {
  const router = Router();
  const show = (path: string, make: (request: Request<{ uuid: string }>) => string) =>
    router.get(path, (request: Request<{ uuid: string }>, response) =>
      sendPage(response, () => make(request)),
    );
  const detail = (path: string, make: (context: SandboxContext, uuid: string, done?: string) => string) =>
    show(`${path}/:uuid`, (request) =>
      make(context, request.params.uuid.toLowerCase(), textIn(request, 'done')),
    );

  show('/', () => overviewPage(context));
  for (const resource of RESOURCES)
    show(`/${resource}`, (request) => listPage(context, resource, queryIn(request), request.originalUrl));
  detail('/owners', userPage);
  detail('/accounts', accountPage);
  detail('/movements', movementPage);
  detail('/transfers', transferPage);
  detail('/payouts', payoutPage);
  show('/charges', (request) => chargesPage(context, textIn(request, 'done')));
  show('/ledger', (request) => ledgerPage(context, ledgerQueryIn(request)));
  show('/callbacks', () => callbacksPage(context));
  router.get('/find', (request, response) => {
    const address = addressOf(context, textIn(request, 'q') ?? '');
    if (address !== undefined) response.redirect(303, address);
    else sendPage(response, () => notFound('nothing of the provider has this id'));
  });
  router.get('/callbacks/live', liveCallbacks(context));
  detail('/callbacks', (_context, id, done) => callbackPage(context, Number(id), done));
  router.use('/assets', assetRoutes());
  return router;
}

function sendPage(response: Response, make: () => string): void {
  response.type('html');
  try {
    response.send(make());
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    response.status(error.status).send(refusedPage('Not found', error.message, '/console'));
  }
}

function notFound(detail: string): never {
  throw refuse('not_found', detail);
}

function queryIn(request: Request): ListQuery {
  const status = textIn(request, 'status');
  return { ...beforeIn(request), ...(status !== undefined && { status }) };
}

function ledgerQueryIn(request: Request) {
  const [reference, account] = [textIn(request, 'reference'), textIn(request, 'account')];
  return {
    ...beforeIn(request),
    ...(reference !== undefined && { reference }),
    ...(account !== undefined && { account }),
  };
}

function beforeIn(request: Request): { before?: number } {
  const before = textIn(request, 'before') ?? '';
  return /^\d{1,15}$/.test(before) ? { before: Number(before) } : {};
}

function textIn({ query }: Pick<Request, 'query'>, name: string): string | undefined {
  const value = query[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
