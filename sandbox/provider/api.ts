// The contract's routes: authenticates, validates and answers every call to /v1, and validates the answers too.
import addFormats from 'ajv-formats';
import type { Request, Response } from 'express';
import { type Context, OpenAPIBackend } from 'openapi-backend';
import contract from '../../openapi/generated/provider.json' with { type: 'json' };
import { matchQuickly } from '../../openapi/router.ts';
import { type FaultyReply, sendWithFaults, workWithFaults } from '../fault-injection/calls.ts';
import { assertPresent } from '../faults/vanished.ts';
import type { World } from '../world.ts';
import { handlers } from './index.ts';
import { type Call, idOf, type Operation, type Reply } from './operation.ts';
import { type ErrorCode, Refusal, refuse } from './refusal.ts';

export type ProviderApi = (request: Request, response: Response) => Promise<void>;

export async function createProviderApi(world: World): Promise<ProviderApi> {
  const api = new OpenAPIBackend({
    // A copy, because references are resolved in place and other code in this process may read the document too.
    definition: structuredClone(contract) as never,
    strict: true,
    // The contract is checked before it is committed; here each operation is compiled when it is first called.
    quick: true,
    // With or without its last slash, a path is two paths.
    ignoreTrailingSlashes: false,
    validate: true,
    coerceTypes: true,
    ajvOpts: { strict: false, validateSchema: false },
    customizeAjv: (ajv) => {
      addFormats.default(ajv);
      return ajv;
    },
  });
  api.register({
    ...Object.fromEntries(Object.entries(handlers).map(([id, handle]) => [id, operation(world, handle)])),
    validationFail: (c: Context) => problem('invalid_request', faultsOf(c)),
    unauthorizedHandler: () => problem('unauthorized', 'wrong credentials or company'),
    notFound: () => problem('not_found', 'no such path'),
    methodNotAllowed: () => problem('invalid_request', 'the path does not take this method', 405),
  });
  api.registerSecurityHandler('basicAuth', credentials(world));
  await api.init();
  matchQuickly(api.router);

  return async (request, response) => {
    const reply = (await api.handleRequest(requestOf(request))) as Reply | FaultyReply;
    if ('injected' in reply) await sendWithFaults(world, response, reply, send);
    else send(response, reply);
  };

  function operation(owner: World, handle: Operation) {
    return (c: Context): Reply => {
      const { params, query, requestBody } = c.request;
      const call = { operation: c.operation.operationId, params, query, body: requestBody } as Call<never>;
      const work = () =>
        honest(
          c,
          attempt(() => owner.store.transaction(() => perform(owner, handle, call))),
        );
      if (owner.faultInjection.isOff()) return work();
      const text = () => `${c.request.path}?${JSON.stringify(query)} ${JSON.stringify(requestBody)}`;
      return workWithFaults(owner, call, text, work);
    };
  }

  /** The reply, unless it breaks the contract: a caller must never depend on a mistake of the sandbox. */
  function honest(c: Context, reply: Reply): Reply {
    const declared = c.operation.responses?.[String(reply.status)] !== undefined;
    const { errors } = c.api.validateResponse(reply.body, c.operation, reply.status);
    if (declared && !errors?.length) return reply;
    const detail = declared ? JSON.stringify(errors) : `status ${reply.status} is not declared`;
    world.options.log(`sandbox: ${c.operation.operationId} broke the contract: ${detail}`);
    return { status: 500, body: { code: 'contract_broken', detail: `a fault of the sandbox: ${detail}` } };
  }
}

export function problem(code: ErrorCode, detail: string, status?: number): Reply {
  return { status: refuse(code, detail, status).status, body: { code, detail } };
}

/** A vanished resource is unknown to its own operations, as one that never existed. */
function perform(world: World, handle: Operation, call: Call<never>): Reply {
  if (call.params['uuid'] !== undefined) assertPresent(world, idOf(call));
  return handle(world, call);
}

/** Does the work; a refusal becomes its reply. */
export function attempt(work: () => Reply): Reply {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal) return problem(error.code, error.message, error.status);
    throw error;
  }
}

export function send(response: Response, { status, body, headers = {} }: Reply): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.end(JSON.stringify(body));
}

function requestOf(request: Request) {
  return {
    method: request.method,
    path: request.path,
    body: request.body as unknown,
    query: request.query as Record<string, string>,
    headers: request.headers as Record<string, string>,
  };
}

function credentials({ options }: World) {
  const expected = `Basic ${Buffer.from(`${options.username}:${options.password}`).toString('base64')}`;
  return ({ request: { headers } }: Context) =>
    headers['authorization'] === expected && headers['x-company-id'] === options.companyId;
}

function faultsOf({ validation }: Context): string {
  const faults = [validation.errors ?? []].flat();
  const text = faults.map((fault) => `${fault.instancePath || 'request'} ${fault.message}`);
  return text.join('; ').slice(0, 500) || 'the request does not fit the contract';
}
