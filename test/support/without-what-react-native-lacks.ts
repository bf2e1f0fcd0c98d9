// Removes from this process what React Native lacks and what code for Node and browsers uses without thinking. A test file imports
// this before anything else.
const missing = (what: string) => (): never => {
  throw new TypeError(`${what} is not a function`);
};

Object.assign(AbortSignal, { any: undefined, timeout: undefined, abort: undefined });
Object.assign(AbortSignal.prototype, { throwIfAborted: undefined });
// React Native has the class, but most of its methods throw.
for (const name of ['get', 'getAll', 'has', 'set', 'delete', 'entries', 'keys', 'values'] as const)
  Object.assign(URLSearchParams.prototype, { [name]: missing(`URLSearchParams.${name}`) });
Object.assign(globalThis, { DOMException: undefined, structuredClone: undefined });
