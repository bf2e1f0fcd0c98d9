// Reads the provider's contract for the client: the path of each operation, and the schemas of its replies.
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import document from '../../openapi/generated/provider.json' with { type: 'json' };
import type { components, operations } from '../../openapi/generated/provider.ts';

export type Wire = components['schemas'];
export type WireOperation = keyof operations;

/** Validates a reply. Returns null if it matches the contract, otherwise the field and the broken rule, never a value. */
export type FaultOf = (reply: unknown) => string | null;
type Route = { method: string; path: string; replies: Map<number, FaultOf> };

/**
 * Reads the method, path and reply schemas of every operation. A schema is compiled when its first reply arrives, because compiling
 * all of them would take a seventh of the start-up time.
 */
export function readWire(): Map<WireOperation, Route> {
  const ajv = new Ajv({ strict: false, allErrors: false, validateSchema: false });
  addFormats.default(ajv);
  ajv.addSchema(document, 'provider');
  const routes = new Map<WireOperation, Route>();
  for (const [path, item] of Object.entries(document.paths as Record<string, PathItem>)) {
    for (const method of ['get', 'post', 'patch'] as const) {
      const operation = item[method];
      if (!operation) continue;
      const replies = new Map<number, FaultOf>();
      for (const status of Object.keys(operation.responses)) {
        const schema = replySchema(operation.responses[status] as Reply);
        if (schema && status.startsWith('2')) replies.set(Number(status), compiledOnFirstUse(ajv, schema));
      }
      routes.set(operation.operationId as WireOperation, { method: method.toUpperCase(), path, replies });
    }
  }
  return routes;
}

function compiledOnFirstUse(ajv: Ajv, schema: { $ref: string }): FaultOf {
  let validate: ValidateFunction | null = null;
  return (reply) => {
    validate ??= ajv.compile(schema);
    if (validate(reply)) return null;
    const [error] = validate.errors ?? [];
    return `${error?.instancePath ?? ''} ${error?.message ?? 'differs'}`.trim();
  };
}

type Reply = { $ref?: string; content?: { 'application/json': { schema: { $ref: string } } } };
type Operation = { operationId: string; responses: Record<string, Reply> };
type PathItem = Partial<Record<'get' | 'post' | 'patch', Operation>>;

function replySchema(reply: Reply): { $ref: string } | null {
  const responses = document.components.responses as Record<string, Reply>;
  const resolved = reply.$ref ? responses[reply.$ref.split('/').at(-1) as string] : reply;
  const ref = resolved?.content?.['application/json'].schema.$ref;
  return ref ? { $ref: `provider${ref}` } : null;
}
