// openapi-backend's router with patterns that are compiled once: the library's own lists all operations and compiles the pattern of
// every path for each request. test/openapi/router.test.ts compares the two.
import { OpenAPIRouter, type Operation, type Request } from 'openapi-backend';

/** A router for a contract without `apiRoot`. It finds what the library's router finds, and throws what it throws. */
export class CompiledRouter extends OpenAPIRouter {
  readonly #operations = this.getOperations()
    .map((operation) => ({ operation, pattern: patternOf(operation.path) }))
    // The path with the longest fixed text is the most specific one.
    .toSorted((one, other) => fixedLength(other.operation.path) - fixedLength(one.operation.path));

  override matchOperation(request: Request): Operation | undefined;
  override matchOperation(request: Request, strict: boolean): Operation;
  override matchOperation(request: Request, strict = false): Operation | undefined {
    const { method, path } = this.normalizeRequest(request);
    const normalPath = this.normalizePath(path);
    const match = this.#operations.find(
      ({ operation, pattern }) => operation.method === method && pattern.test(normalPath),
    );
    if (!match && strict) return super.matchOperation(request, strict);
    return match?.operation;
  }
}

/**
 * Returns a function that reads the parameters from a path. It throws URIError if an escape in the path cannot be decoded.
 * @param template the path of an operation, such as `/pix/payments/{pixPaymentId}`.
 */
export function paramsReader(template: string): (path: string) => Record<string, string> {
  const places = template
    .split('/')
    .flatMap((part, at) => (part.startsWith('{') ? [{ name: part.slice(1, -1), at }] : []));
  return (path) => {
    if (places.length === 0) return {};
    const parts = path.split('/');
    return Object.fromEntries(places.map(({ name, at }) => [name, decodeURIComponent(parts[at] ?? '')]));
  };
}

const PARAMETER = /\{[^}]+\}/g;

const fixedLength = (path: string): number => path.replace(PARAMETER, '').length;

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(PARAMETER, '[^/]+')}$`);
