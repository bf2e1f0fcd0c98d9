// The contract's routes and schemas. openapi-backend finds the operation, and its validators check each part of a call and its reply
// once. The library's own handling would parse a request three times, which costs more than the work itself.
import type { IncomingHttpHeaders } from 'node:http';
import addFormats from 'ajv-formats';
import { type Operation as ContractOperation, type Document, OpenAPIBackend } from 'openapi-backend';
import { compileOnce } from '../../openapi/compile-once.ts';
import contract from '../../openapi/generated/provider.json' with { type: 'json' };
import { CompiledRouter, paramsReader } from '../../openapi/router.ts';
import type { OperationId } from './operation.ts';

/** The parts of a call. The check converts the texts of its query to the types of the contract. */
export interface Parts {
  path: Record<string, string>;
  query: Record<string, unknown>;
  header: IncomingHttpHeaders;
  requestBody?: unknown;
}

export interface Matched {
  id: OperationId;
  needsCredentials: boolean;
  /** @throws URIError when an escape in the path cannot be decoded. */
  paramsIn(path: string): Record<string, string>;
  /** Returns a sentence that says what does not match the contract. Null if everything matches. */
  blame(parts: Parts): string | null;
  /** Returns how the reply breaks the contract. Null if it matches. */
  breachOf(status: number, body: unknown): string | null;
}

export interface Contract {
  match(method: string, path: string): Matched | undefined;
  /** Whether the path accepts any method. */
  hasPath(path: string): boolean;
}

let read: Promise<Contract> | undefined;

/** Resolves with the contract, which a process reads once. */
export const theContract = (): Promise<Contract> => (read ??= readContract());

async function readContract(): Promise<Contract> {
  const api = await createBackend();
  const operations = new Map(api.router.getOperations().map((one) => [one.operationId, prepare(api, one)]));
  const find = (method: string, path: string) => api.matchOperation({ method, path, headers: {} });
  return {
    match: (method, path) => operations.get(find(method, path)?.operationId),
    hasPath: (path) => ['get', 'post', 'patch'].some((method) => find(method, path) !== undefined),
  };
}

async function createBackend(): Promise<OpenAPIBackend> {
  const api = new OpenAPIBackend({
    // This is a copy, because references are resolved in place, and other code in this process may also read the document.
    definition: structuredClone(contract) as unknown as Document,
    strict: true,
    // The contract is checked before it is committed. Each operation is compiled when it is first called.
    quick: true,
    // A path with a trailing slash differs from the path without it.
    ignoreTrailingSlashes: false,
    validate: true,
    coerceTypes: true,
    ajvOpts: { strict: false, validateSchema: false },
    customizeAjv: (ajv, options) => {
      addFormats.default(ajv);
      return compileOnce(ajv, options, 'sandbox');
    },
  });
  await api.init();
  api.router = new CompiledRouter(api);
  return api;
}

function prepare({ validator }: OpenAPIBackend, operation: ContractOperation): Matched {
  const id = operation.operationId as OperationId;
  return {
    id,
    needsCredentials: (operation.security ?? []).length > 0,
    paramsIn: paramsReader(operation.path),
    blame: (parts) => {
      const validators = validator.getRequestValidatorsForOperation(id) ?? [];
      const faults = validators.flatMap((isValid) => (isValid(parts) ? [] : (isValid.errors ?? [])));
      if (faults.length === 0) return null;
      const text = faults.map((fault) => `${fault.instancePath || 'request'} ${fault.message}`);
      return text.join('; ').slice(0, 500) || 'the request does not fit the contract';
    },
    breachOf: (status, body) => {
      if (operation.responses?.[String(status)] === undefined) return `status ${status} is not declared`;
      const isValid = validator.getStatusBasedResponseValidatorForOperation(id)?.[String(status)];
      return !isValid || isValid(body) ? null : JSON.stringify(isValid.errors);
    },
  };
}
