// openapi-backend's router lists every operation, compiles every path's pattern, and takes a request apart four times over,
// anew for each request. For a contract that does not change, what can be done once is done once here.
import type { Context, OpenAPIBackend } from 'openapi-backend';

type Router = OpenAPIBackend['router'];
type Operation = ReturnType<Router['getOperations']>[number];
type Request = Parameters<Router['parseRequest']>[0];
type ParsedRequest = Context['request'];

/**
 * Makes an initialised router quick. It goes on matching and parsing by the library's own rules; whatever is out of the
 * ordinary is left to the library itself.
 */
export function quicken(router: Router): void {
  matchAmongCandidates(router);
  parseOnce(router);
}

/** The router only sees the few operations that can be meant: what it makes of them stays its own affair. */
function matchAmongCandidates(router: Router): void {
  const operations = router.getOperations();
  const patterns = new Map(operations.map(({ path }) => [path, wideBeginningOf(path)]));
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

/** Wider than the router's own: whatever it might match must pass. */
const wideBeginningOf = (path: string): RegExp => new RegExp(`^${sourceOf(path, '[^/]+')}`);

/** Requests as Express gives them, without a cookie and with a body that was read, need no second look at their parts. */
function parseOnce(router: Router): void {
  const parse = router.parseRequest.bind(router);
  const plain = new Map(
    router
      .getOperations()
      .filter(isPlain)
      .map(({ path }) => [path, paramsReader(path)]),
  );
  router.parseRequest = ((request: Request, operation?: Operation): ParsedRequest => {
    const paramsOf = operation && plain.get(operation.path);
    const { headers, query, body } = request;
    if (!paramsOf || headers['cookie'] !== undefined || typeof query !== 'object' || typeof body === 'string')
      return parse(request, operation) as ParsedRequest;
    const normalized = router.normalizeRequest(request);
    return {
      ...normalized,
      params: paramsOf(router.normalizePath(normalized.path)),
      headers: { ...headers },
      query: copyOf(query),
      cookies: {},
      requestBody: body,
    } as ParsedRequest;
  }) as Router['parseRequest'];
}

/** Types are coerced in it later on, each time from what was sent. */
const copyOf = (query: Record<string, string | string[]>): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, Array.isArray(value) ? [...value] : value]),
  );

/** Whether its query is taken as it is: no parameter of it comes in another form. */
const isPlain = ({ parameters = [] }: Operation): boolean =>
  parameters.every(
    (parameter) => '$ref' in parameter || (parameter.explode !== false && parameter.content === undefined),
  );

/** @returns what the parameters in a path are, decoded; none where the path is another's. */
function paramsReader(path: string): (path: string) => Record<string, string> {
  const names = [...path.matchAll(/\{([\w-]+)\}/g)].map(([, name]) => name as string);
  const pattern = new RegExp(`^${sourceOf(path, '([^/]*)')}$`);
  return (asked) => {
    const values = pattern.exec(asked)?.slice(1) ?? [];
    return Object.fromEntries(values.map((value, n) => [names[n], decodeURIComponent(value)]));
  };
}

/** A path as the source of an expression, each parameter in it as `parameter`. */
const sourceOf = (path: string, parameter: string): string =>
  path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^}]+\}/g, parameter);
