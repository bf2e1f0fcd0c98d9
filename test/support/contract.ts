// Validates every answer of the service in a test against the contract.
import addFormats from 'ajv-formats';
import { type Document, OpenAPIBackend } from 'openapi-backend';
import { compileOnce } from '../../openapi/compile-once.ts';
import document from '../../openapi/generated/openapi.json' with { type: 'json' };
import { closedDocument } from '../../src/api/backend.ts';
import { declaresLanguage } from '../../src/api/contract.ts';
import { refusalsInPortuguese } from '../../src/domain/portuguese.ts';
import { errorExamples, type ShownError } from './error-examples.ts';
import { capture, markPersonal } from './leak-watch.ts';

const contract = new OpenAPIBackend({
  definition: closedDocument(document) as Document,
  quick: true,
  ajvOpts: { discriminator: true },
  customizeAjv: (ajv, options) => {
    addFormats.default(ajv);
    return compileOnce(ajv, options, 'test');
  },
});
await contract.init();

/** Every operation of the contract with its address. Parameters are in braces. */
export const operations = contract.router.getOperations().map((operation) => ({
  operationId: operation.operationId ?? '',
  method: operation.method.toUpperCase(),
  path: operation.path,
  isOpen: (operation.security ?? []).length === 0,
  takesBody: operation.requestBody !== undefined,
  responses: operation.responses ?? {},
}));

/** The contract's sentence in English for each code. `shownFor` contains the operation, status and code of each example. */
const sentences = new Map<string, string>(errorExamples.map(({ shown }) => [shown.code, shown.error]));
const shownFor = new Set(
  errorExamples.map(({ operationId, status, shown }) => `${operationId} ${status} ${shown.code}`),
);

/** @throws if the contract does not declare the status or the body of an answer for this operation. */
export async function assertDeclared(method: string, address: string, response: Response): Promise<void> {
  const { pathname } = new URL(address);
  const request = { method: method === 'HEAD' ? 'GET' : method, path: pathname, headers: {} };
  const operation = contract.matchOperation(request);
  const name = `${method} ${pathname} answered ${response.status}`;
  const requestId = response.headers.get('x-request-id');
  if (!requestId) throw new Error(`${name} without a request id`);

  const text = await response.clone().text();
  if (method === 'HEAD' || (method === 'OPTIONS' && response.status === 204)) return;
  if (response.status === 204 && text !== '') throw new Error(`${name} with a body: ${text}`);
  const body: unknown = response.status === 204 ? null : JSON.parse(text);
  if (response.status >= 400) capture('an error', JSON.stringify([...response.headers, text]));
  else markPersonal(body);
  // 404 and 405 are declared for every address: an unknown path, or a wrong method.
  if (!operation && response.status !== 404 && response.status !== 405) throw new Error(`${name}: ${text}`);
  if (operation && !(String(response.status) in (operation.responses ?? {})))
    throw new Error(`${name}, which is not declared: ${text}`);
  const { errors } = operation
    ? contract.validateResponse(body, operation, response.status)
    : contract.validateResponse(body, 'getHealth', 500);
  if (errors) throw new Error(`${name} against its schema: ${JSON.stringify(errors[0])}`);
  const language = response.headers.get('content-language');
  if (operation && declaresLanguage(operation, response.status) !== (language !== null))
    throw new Error(`${name} with the language ${language}, unlike the contract`);
  if (response.status < 400) return;
  const { code, error, requestId: repeated } = body as ShownError;
  if (repeated !== requestId) throw new Error(`${name} with two request ids`);
  const sentence = language === 'pt-BR' ? refusalsInPortuguese[code] : sentences.get(code);
  if (error !== (sentence ?? error))
    throw new Error(`${name} with other words than the contract shows for ${code}: ${error}`);
  if (operation && !shownFor.has(`${operation.operationId} ${response.status} ${code}`))
    throw new Error(`${name} with ${code}, which the contract does not show there`);
}
