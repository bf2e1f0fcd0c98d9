// The contract at work: openapi-backend routes and validates by it, and what we answer is held to it, too. Who asks was found
// out before (see admission.ts).
import addFormats from 'ajv-formats';
import type { Request as ExpressRequest, Response } from 'express';
import { type Context, type Document, OpenAPIBackend, type Operation } from 'openapi-backend';
import document from '../../openapi/generated/openapi.json' with { type: 'json' };
import { matchQuickly } from '../../openapi/router.ts';
import type { App } from '../app.ts';
import { recordRefusal } from '../audit/refusals.ts';
import type { Admitted } from './admission.ts';
import { Refusal } from './errors.ts';
import type { Handlers } from './operation.ts';
import { heldToByUs } from './own-document.ts';
import { validationDetails } from './validation-details.ts';

type Answer = { status: number; body: unknown; headers?: Record<string, string> };

/** Builds the router of the contract. Every operation must have a handler, or it does not start. */
export async function createBackend(app: App, handlers: Handlers): Promise<OpenAPIBackend> {
  const api = new OpenAPIBackend({
    definition: heldToByUs(document) as unknown as Document,
    strict: true,
    // The contract is checked before it is committed; here only what will be used is compiled.
    quick: true,
    validate: true,
    coerceTypes: true,
    ajvOpts: {
      strict: false,
      discriminator: true,
      useDefaults: true,
      allErrors: false,
      // Each schema would be held against that of schemas, which is compiled anew for each: half of what a start costs.
      validateSchema: false,
    },
    customizeAjv: (ajv) => {
      addFormats.default(ajv);
      // The format's own rule takes `urn:uuid:` as well, which no column of ours can be compared with.
      return ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);
    },
  });

  for (const [operationId, handle] of Object.entries(handlers)) {
    api.register(operationId, (context: Context, request: Admitted) => {
      const input = inputOf(context, request);
      return (handle as (input: unknown, app: App) => Promise<Answer>)(input, app).catch((error: unknown) => {
        recordRefusal(app.trail, operationId, input, error);
        throw error;
      });
    });
  }
  api.registerSecurityHandler('bearerAuth', (_context, { user }: Admitted) => user);
  api.register({
    unauthorizedHandler: () => {
      throw new Refusal('unauthorized');
    },
    validationFail: (context: Context) => {
      throw new Refusal('invalid_request', validationDetails(context.validation.errors ?? []));
    },
    notFound: () => {
      throw new Refusal('not_found');
    },
    methodNotAllowed: (context: Context, request: ExpressRequest, response: Response) => {
      const allowed = allowedMethods(api, context, request).join(', ');
      response.set('Allow', allowed);
      throw new Refusal('method_not_allowed', [{ path: '/method', message: `must be one of ${allowed}` }]);
    },
    notImplemented: (context: Context) => {
      throw new Error(`no handler for ${context.operation.operationId}`);
    },
    postResponseHandler: (context: Context, _request: ExpressRequest, response: Response) => {
      const { status, body, headers } = context.response as Answer;
      assertPromised(api, context.operation, status, body);
      response
        .status(status)
        .set(headers ?? {})
        .json(body);
    },
  });
  await api.init();
  matchQuickly(api.router);
  for (const id of Object.keys(handlers)) {
    api.validator.getRequestValidatorsForOperation(id);
    api.validator.getStatusBasedResponseValidatorForOperation(id);
  }
  return api;
}

const inputOf = (context: Context, request: Admitted) => ({
  params: context.request.params,
  query: context.request.query,
  body: context.request.requestBody,
  rawBody: request.rawBody ?? Buffer.alloc(0),
  idempotencyKey: headerText(context.request.headers['idempotency-key']) ?? null,
  requestId: request.id,
  user: request.user,
});

/** What we answer is a promise of the contract: breaking it is our fault, and better a 500 than a wrong answer. */
export function assertPromised(
  api: OpenAPIBackend,
  operation: Operation,
  status: number,
  body: unknown,
): void {
  const id = operation.operationId;
  if (!(String(status) in (operation.responses ?? {})))
    throw new Error(`${id} answered an undeclared ${status}`);
  const { errors } = api.validateResponse(body, operation, status);
  if (errors?.length) {
    const [fault] = errors;
    throw new Error(`${id} answered against its contract: ${fault?.instancePath} ${fault?.message}`);
  }
}

function allowedMethods(api: OpenAPIBackend, context: Context, request: ExpressRequest): string[] {
  const allowed = ['GET', 'POST', 'PATCH', 'DELETE'].filter((method) =>
    api.router.matchOperation({ ...context.request, method, path: request.path, headers: {} }),
  );
  return allowed.includes('GET') ? ['HEAD', ...allowed] : allowed;
}

const headerText = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;
