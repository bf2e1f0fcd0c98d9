// The contract as an attacker reads it: every operation, every parameter, and every form of a body.
import document from '../../openapi/generated/openapi.json' with { type: 'json' };

export type Schema = {
  type?: string;
  format?: string;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  items?: Schema;
  required?: string[];
  additionalProperties?: unknown;
  oneOf?: Schema[];
};
export type Parameter = { name: string; in: 'path' | 'query' | 'header'; schema: Schema; example?: unknown };
export type Form = {
  example: Record<string, unknown>;
  /** All examples that fit the form. */
  examples: Record<string, unknown>[];
  properties: Record<string, Schema>;
  isOpen: boolean;
};
export type Operation = {
  id: string;
  method: string;
  path: string;
  needsSession: boolean;
  parameters: Parameter[];
  forms: Form[];
  /** The size of the largest body that the operation accepts, in bytes. */
  mostBytes: number;
};

type Raw = Record<string, unknown>;
/** The default of BODY_LIMIT, which applies to operations whose contract names no limit. */
const USUAL_BODY_LIMIT = 10 * 1024 * 1024;
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** Replaces references with what they refer to. The schemas have no circular references, which would not end here. */
function resolved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolved);
  if (!isObject(value)) return value;
  const { $ref } = value;
  if (typeof $ref === 'string')
    return resolved(
      $ref
        .slice(2)
        .split('/')
        .reduce<unknown>((at, name) => objectIn(at)[name], document),
    );
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, resolved(child)]));
}

const isObject = (value: unknown): value is Raw => typeof value === 'object' && value !== null;
const objectIn = (value: unknown): Raw => (isObject(value) ? value : {});
const listIn = <Item>(value: unknown): Item[] => (Array.isArray(value) ? (value as Item[]) : []);

const paths = objectIn(resolved(document.paths));
export const pathsOfContract = Object.keys(paths);

export const contract: Operation[] = Object.entries(paths).flatMap(([path, item]) =>
  METHODS.filter((method) => method in objectIn(item)).map((method) => {
    const operation = objectIn(objectIn(item)[method]);
    return {
      id: String(operation['operationId']),
      method: method.toUpperCase(),
      path,
      needsSession: listIn(operation['security'] ?? document.security).length > 0,
      parameters: [
        ...listIn<Parameter>(objectIn(item)['parameters']),
        ...listIn<Parameter>(operation['parameters']),
      ],
      forms: formsOf(operation),
      mostBytes: Number(objectIn(operation['requestBody'])['x-max-bytes'] ?? USUAL_BODY_LIMIT),
    };
  }),
);

export const methodsOf = (path: string): string[] =>
  contract.filter((operation) => operation.path === path).map(({ method }) => method);

export const namesOfContract: string[] = [
  ...new Set(
    Object.values(document.components.schemas).flatMap((schema) =>
      Object.keys(objectIn(objectIn(schema)['properties'])),
    ),
  ),
];

/**
 * Finds an example for each form of a body.
 * @throws if a form has no example: without one, no faulty variant can be made.
 */
function formsOf(operation: Raw): Form[] {
  const body = objectIn(operation['requestBody']);
  const content = objectIn(objectIn(objectIn(body)['content'])['application/json']);
  const schema = content['schema'] as Schema | undefined;
  if (!schema) return [];
  const examples = [
    ...('example' in content ? [content['example']] : []),
    ...Object.values(objectIn(content['examples'])).map((example) => objectIn(example)['value']),
  ].map(objectIn);
  return (schema.oneOf ?? [schema]).map(({ properties = {}, additionalProperties }) => {
    const fitting = examples.filter((one) => fits(one, properties, additionalProperties === true));
    const [example] = fitting;
    if (!example) throw new Error(`${String(operation['operationId'])} has a body without an example`);
    return { example, examples: fitting, properties, isOpen: additionalProperties !== false };
  });
}

function fits(example: Raw, properties: Record<string, Schema>, isOpen: boolean): boolean {
  return Object.entries(example).every(([name, value]) => {
    const { enum: values } = properties[name] ?? {};
    return (isOpen || name in properties) && (values === undefined || values.includes(value));
  });
}
