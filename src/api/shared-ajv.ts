// openapi-backend makes an Ajv for each operation and compiles the schema of each of its answers, although most answers are one
// and the same error. Here one Ajv serves all operations, and equal schemas are compiled once.
import type { Ajv, AnySchema, Options, ValidateFunction } from 'ajv';

/**
 * @param extend adds formats to an Ajv.
 * @returns a function for `customizeAjv`: the given Ajv for the first operation, and the same one for every later operation.
 */
export function shareAjv(extend: (ajv: Ajv) => Ajv): (ajv: Ajv, options: Options, part: string) => Ajv {
  // The parts of a request and answers are validated with options of their own.
  const byPart = new Map<string, Ajv>();
  return (ajv, _options, part) => {
    const known = byPart.get(part) ?? compilingOnce(extend(ajv));
    byPart.set(part, known);
    return known;
  };
}

/** Its validators are called synchronously and their errors are read immediately, so several operations can use one. */
function compilingOnce(ajv: Ajv): Ajv {
  const compiled = new Map<string, ValidateFunction>();
  const compile = ajv.compile.bind(ajv);
  return Object.assign(ajv, {
    compile: (schema: AnySchema) => {
      const text = JSON.stringify(schema);
      const validate = compiled.get(text) ?? compile(schema);
      compiled.set(text, validate);
      return validate;
    },
  });
}
