// Finds the operation of a request by the rules of openapi-backend's router. The router lists all operations and compiles the
// pattern of every path for each request. A contract does not change, so both happen once here. test/openapi/find-operation.test.ts
// compares the results with the router's.
import type { OpenAPIBackend, Operation } from 'openapi-backend';

/** Returns the operation of a request, or undefined if the contract has none for this method and path. */
export type FindOperation = (method: string, path: string) => Operation | undefined;

/** Creates the finder. @param router the router of an initialised backend. */
export function createFinder(router: OpenAPIBackend['router']): FindOperation {
  const operations = router
    .getOperations()
    .map((operation) => ({ operation, pattern: patternOf(operation.path) }))
    // The path with the longest fixed text is the most specific one.
    .toSorted((one, other) => fixedLength(other.operation.path) - fixedLength(one.operation.path));
  return (asked, address) => {
    const { method, path } = router.normalizeRequest({ method: asked, path: address, headers: {} });
    const normalPath = router.normalizePath(path);
    return operations.find(
      ({ operation, pattern }) => operation.method === method && pattern.test(normalPath),
    )?.operation;
  };
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
