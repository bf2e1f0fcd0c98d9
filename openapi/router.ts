// openapi-backend's router lists every operation and compiles every path's pattern anew for each request. For a contract that
// does not change both are done once here. Where a single operation fits a request, it is the router's answer, too; every
// other request is the router's to judge, which only sees the few operations that can be meant.
import type { OpenAPIBackend } from 'openapi-backend';

/** Makes an initialised router quick: what it makes of the operations that it is shown stays its own affair. */
export function matchQuickly(router: OpenAPIBackend['router']): void {
  const operations = router.getOperations();
  const patterns = operations.map((operation) => ({ operation, ...patternsOf(operation.path) }));
  const match = router.matchOperation.bind(router);
  let candidates = operations;
  router.getOperations = () => candidates;
  router.matchOperation = ((request, strict) => {
    const { path, method } = router.normalizeRequest(request);
    const fitting = patterns.filter(
      ({ operation, whole }) => operation.method === method && whole.test(path),
    );
    if (fitting.length === 1) return fitting[0]?.operation;
    candidates = patterns.filter(({ beginning }) => beginning.test(path)).map(({ operation }) => operation);
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

/** `beginning` is wider than the router's own: whatever it might match must pass. */
function patternsOf(path: string): { whole: RegExp; beginning: RegExp } {
  const pattern = `^${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^}]+\}/g, '[^/]+')}`;
  return { whole: new RegExp(`${pattern}$`), beginning: new RegExp(pattern) };
}
