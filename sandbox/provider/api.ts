// The contract's API: authenticates, validates and answers every call to /v1. It also validates the answers.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { parse as parseQuery } from 'node:querystring';
import type { SandboxContext } from '../context.ts';
import { readJson } from './body.ts';
import { type Matched, type Parts, theContract } from './contract.ts';
import { perform } from './index.ts';
import type { Call, Reply } from './operation.ts';
import { problem, send, sendFault } from './reply.ts';

export type ProviderApi = (request: IncomingMessage, response: ServerResponse) => void;

export const isOfProvider = ({ url = '' }: IncomingMessage): boolean => url.startsWith('/v1/');

export async function createProviderApi(context: SandboxContext): Promise<ProviderApi> {
  const contract = await theContract();
  const isCaller = credentials(context);

  return (request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else sendFault(context, response, error);
    });
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const body = await readJson(request);
    const [path, search] = partsOf(url);
    const matched = contract.match(method, path);
    if (!matched) return send(response, nowhere(path));
    if (matched.needsCredentials && !isCaller(headers))
      return send(response, problem('unauthorized', 'wrong credentials or company'));
    const params = matched.paramsIn(path);
    const parts: Parts = {
      path: { ...params },
      query: search === '' ? {} : { ...parseQuery(search) },
      header: headers,
      ...(body !== undefined && { requestBody: body }),
    };
    const blame = matched.blame(parts);
    if (blame !== null) return send(response, problem('invalid_request', blame));
    const call: Call = { operation: matched.id, path, params, query: parts.query, body };
    await context.seams.callReceived(response, call, () => honest(matched, perform(context, call)));
  }

  function nowhere(path: string): Reply {
    return contract.hasPath(path)
      ? problem('invalid_request', 'the path does not take this method', 405)
      : problem('not_found', 'no such path');
  }

  /** Returns the reply, or a fault if it breaks the contract: a caller must never depend on a mistake of the sandbox. */
  function honest(matched: Matched, reply: Reply): Reply {
    const detail = matched.breachOf(reply.status, reply.body);
    if (detail === null) return reply;
    context.options.log(`sandbox: ${matched.id} broke the contract: ${detail}`);
    return { status: 500, body: { code: 'contract_broken', detail: `a fault of the sandbox: ${detail}` } };
  }
}

function partsOf(url: string): [path: string, search: string] {
  const at = url.indexOf('?');
  return at === -1 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
}

function credentials({ options }: SandboxContext) {
  const expected = `Basic ${Buffer.from(`${options.username}:${options.password}`).toString('base64')}`;
  return (headers: IncomingHttpHeaders): boolean =>
    headers['authorization'] === expected && headers['x-company-id'] === options.companyId;
}
