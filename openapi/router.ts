// openapi-backend's router lists every operation and compiles every path's pattern anew for each request. For a contract that
// does not change both are done once here, and it only sees the few operations that can be meant.
import type { OpenAPIBackend } from 'openapi-backend';

/** Makes an initialised router quick: what it makes of the operations that it is shown stays its own affair. */
export function matchQuickly(router: OpenAPIBackend['router']): void {
  const operations = router.getOperations();
  const patterns = new Map(operations.map(({ path }) => [path, beginningOf(path)]));
  const match = router.matchOperation.bind(router);
  let candidates = operations;
  router.getOperations = () => candidates;
  router.matchOperation = ((request, strict) => {
    const { path: asked } = router.normalizeRequest(request);
    candidates = operations.filter(({ path }) => patterns.get(path)?.test(asked));
    try {
      return match(request, strict as true);
    } finally {
      candidates = operations;
    }
  }) as typeof router.matchOperation;
}

/** @param template of an operation's path: `/pix/payments/{pixPaymentId}`. @returns a reader that throws a URIError. */
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

/** Wider than the router's own: whatever it might match must pass. */
const beginningOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^}]+\}/g, '[^/]+')}`);
