// Lists the fields that the typed client finds in every answer of Ponte, by the answer's schema. An answer that lacks one of them
// comes from something else.
import { type Contract, resolved, type Schema } from './document.ts';

export function requiredFieldsPage(contract: Contract): string {
  const fields = new Map(answersOf(contract).map((schema) => [nameOf(schema), requiredBy(contract, schema)]));
  const rows = [...fields].toSorted(([one], [other]) => one.localeCompare(other));
  return `// Generated from openapi/openapi.yaml by scripts/generate.ts; change that, not this.

/** The fields that an answer always has, by its schema. */
const requiredFields = ${JSON.stringify(Object.fromEntries(rows), null, 2)} as const;

export { requiredFields };
`;
}

/** Returns the schemas of all successful answers to apps. For a list, it is the schema of its items. */
function answersOf({ paths }: Contract): Schema[] {
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  return operations
    .filter((operation) => !operation.tags?.includes('Webhooks'))
    .flatMap(({ responses = {} }) => Object.entries(responses))
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, { content = {} }]) => Object.values(content))
    .flatMap(({ schema }) => schema?.items ?? schema ?? []);
}

const nameOf = ({ $ref = '' }: Schema): string => $ref.split('/').at(-1) ?? '';

/** Returns the required fields of a schema. For a schema with several forms, these are the fields that all forms have. */
function requiredBy(contract: Contract, schema: Schema): string[] {
  const { required = [], oneOf } = resolved(contract, schema);
  if (oneOf === undefined) return required;
  const [first = [], ...others] = oneOf.map((form) => requiredBy(contract, form));
  return first.filter((name) => others.every((form) => form.includes(name)));
}
