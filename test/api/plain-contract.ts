// The contract as openapi-backend handles a request by itself, from end to end. The service's own handling is compared with it.
import { type Context, type Request as ContractRequest, OpenAPIRouter } from 'openapi-backend';
import { createBackend } from '../../src/api/backend.ts';
import { type Contract, declaresLanguage } from '../../src/api/contract.ts';
import { languageOf, setLanguage } from '../../src/api/language.ts';
import type { CallerRead, Handlers, OperationId } from '../../src/api/operation.ts';
import { type Answer, assertDeclared, sendJson } from '../../src/api/reply.ts';
import type { ApiRequest, Input } from '../../src/api/request.ts';
import { createValidationDetails } from '../../src/api/validation-details.ts';
import { Refusal } from '../../src/domain/refusals.ts';
import { waitingOperator } from '../../src/provider/caller.ts';
import { type App, type CallerServices, servicesFor } from '../../src/start/app.ts';

type Services = CallerServices<'interactive'>;
type Handle = (request: unknown, services: Services) => Promise<Answer>;

export async function createPlainContract(app: App, handlers: Handlers<Services>): Promise<Contract> {
  const services = servicesFor(app, waitingOperator);
  const api = await createBackend();
  api.router = new OpenAPIRouter(api);
  const detailsOf = createValidationDetails(api);
  for (const [operationId, handle] of Object.entries(handlers))
    api.register(operationId, async (context: Context, request: ApiRequest) => {
      const { read } = handle as { read?: CallerRead };
      const input = inputOf(context, request);
      const { user } = request;
      const rows = (await read?.(app.db, user?.id ?? '', input as never)) ?? { user };
      return (handle as unknown as Handle)({ ...input, ...rows }, services);
    });
  api.registerSecurityHandler('bearerAuth', (_context, { user }: ApiRequest) => user);
  api.register({
    unauthorizedHandler: () => {
      throw new Refusal('unauthorized');
    },
    validationFail: ({ operation, validation }: Context, request: ApiRequest) => {
      const errors = validation.errors ?? [];
      const bodyBytes = request.rawBody?.length ?? 0;
      throw new Refusal(
        'invalid_request',
        detailsOf({ contractRequest: asAsked(request), operation, errors, bodyBytes }),
      );
    },
    notFound: () => {
      throw new Refusal('not_found');
    },
    methodNotAllowed: (_context: Context, { path }: ApiRequest) => {
      const allowed = ['GET', 'POST', 'PATCH', 'DELETE'].filter((method) => match(method, path));
      const methods = (allowed.includes('GET') ? ['HEAD', ...allowed] : allowed).join(', ');
      throw new Refusal('method_not_allowed', [{ path: '/method', message: `must be one of ${methods}` }]);
    },
  });
  const match: Contract['match'] = (method, path) => {
    const operation = api.matchOperation(routed({ method, path }));
    return (
      operation && {
        ...operation,
        operationId: operation.operationId as OperationId,
        needsSession: (operation.security ?? []).length > 0,
        paramsIn: (of) =>
          api.router.parseRequest(routed({ method, path: of }), operation).params as Record<string, string>,
        hasSentences: (status) => declaresLanguage(operation, status),
        inputOf: () => {
          throw new Error('nothing is read beforehand');
        },
        read: undefined,
      }
    );
  };
  return {
    match,
    answers: [],
    assertDeclared: (operation, status, body) => assertDeclared(api, operation, status, body),
    answer: async (request, response) => {
      const answer = (await api.handleRequest(asAsked(request), request, response)) as Answer;
      if (request.operation?.hasSentences(answer.status)) setLanguage(response, languageOf(request));
      sendJson(response, answer.status, answer.body, answer.headers);
    },
  };
}

/** The router parses a string as JSON. A body that is parsed already must stay as it is, so a string is encoded again. */
function asAsked(request: ApiRequest): ContractRequest {
  const { body, query, headers } = request;
  const said: unknown = typeof body === 'string' ? JSON.stringify(body) : body;
  return { ...routed(request), body: said, query, headers } as ContractRequest;
}

const routed = ({ method, path }: { method: string | undefined; path: string }): ContractRequest => ({
  method: method === 'HEAD' ? 'GET' : (method ?? ''),
  path,
  headers: {},
});

const inputOf = ({ request: { params, query, requestBody, headers } }: Context, request: ApiRequest) => ({
  params: params as Input['params'],
  query,
  body: requestBody as unknown,
  rawBody: request.rawBody ?? Buffer.alloc(0),
  idempotencyKey: headers['idempotency-key'] ?? null,
  requestId: request.id,
  language: languageOf(request),
});
