// Finds the name of the operation for a method and an address, by either contract.

type Paths = Record<string, Record<string, unknown>>;

/** @returns a look-up function. It returns null if no operation matches. `prefix` comes before the contract's paths. */
export function routesOf(
  paths: Paths,
  prefix = '',
): (method: string | undefined, url: string | undefined) => string | null {
  const routes = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      const { operationId } = operation as { operationId?: string };
      return operationId
        ? [{ method: method.toUpperCase(), pattern: patternOf(prefix + path), operationId }]
        : [];
    }),
  );
  // A literal segment is more specific than a parameter.
  routes.sort((a, b) => a.pattern.source.split('[^/]+').length - b.pattern.source.split('[^/]+').length);
  return (method, url = '') => {
    const [path = ''] = url.split('?', 1);
    return routes.find((route) => route.method === method && route.pattern.test(path))?.operationId ?? null;
  };
}

const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
