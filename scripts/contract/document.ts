// The type of a contract for the comparison: as much of OpenAPI 3.0 as this project uses. It is loose, because former contracts are
// also compared.

export type Reference = { $ref: string };

export type Schema = Partial<Reference> & {
  type?: string;
  format?: string;
  nullable?: boolean;
  enum?: unknown[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  default?: unknown;
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
};

export type Parameter = Partial<Reference> & {
  name: string;
  in: string;
  required?: boolean;
  schema?: Schema;
};

export type Content = Record<string, { schema?: Schema }>;
export type Body = Partial<Reference> & { required?: boolean; content?: Content; 'x-max-bytes'?: number };
export type Header = Partial<Reference> & { required?: boolean; schema?: Schema };
export type Answer = Partial<Reference> & { headers?: Record<string, Header>; content?: Content };

export type Operation = {
  operationId?: string;
  tags?: string[];
  security?: object[];
  parameters?: Parameter[];
  requestBody?: Body;
  responses?: Record<string, Answer>;
};

export type Contract = {
  info: { version: string };
  security?: object[];
  paths: Record<string, Record<string, Operation>>;
  components?: Record<string, Record<string, unknown>>;
};

/** Returns the part itself, or the component that it refers to. */
export function resolved<Part extends Partial<Reference>>(contract: Contract, part: Part): Part {
  if (part.$ref === undefined) return part;
  const [, , section = '', name = ''] = part.$ref.split('/');
  const component = contract.components?.[section]?.[name];
  if (component === undefined) throw new Error(`${part.$ref} is not in the contract`);
  return resolved(contract, component as Part);
}

/** Returns the name under which generators write a component's type. Undefined for a schema without a name. */
export const nameOf = ({ $ref }: Partial<Reference>): string | undefined => $ref?.split('/').at(-1);
