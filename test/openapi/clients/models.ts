// Models in Swift and Kotlin, by quicktype. It reads JSON Schema, so OpenAPI 3.0's `nullable` is translated first.
import { FetchingJSONSchemaStore, InputData, JSONSchemaInput, quicktype } from 'quicktype-core';
import type { Contract } from '../../../scripts/contract/document.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Translates `nullable: true` to JSON Schema. Discriminators are left out: quicktype joins the variants into one class. */
function asJsonSchema(part: Json): Json {
  if (Array.isArray(part)) return part.map(asJsonSchema);
  if (part === null || typeof part !== 'object') return part;
  const { nullable, discriminator: _unused, example: _example, ...rest } = part;
  const translated = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, asJsonSchema(value)]),
  );
  if (nullable === true && typeof translated['type'] === 'string')
    translated['type'] = [translated['type'], 'null'];
  return translated;
}

/** Adds titles: without them, quicktype invents the names of types. */
const titled = (schemas: Contract['components'] = {}): Json =>
  asJsonSchema(
    Object.fromEntries(
      Object.entries(schemas['schemas'] ?? {}).map(([title, schema]) => [
        title,
        { title, ...(schema as object) },
      ]),
    ) as Json,
  );

/** Returns the source text of the schema and of everything that it refers to. */
export async function modelsOf(
  document: Contract,
  name: string,
  language: 'swift' | 'kotlin',
): Promise<string> {
  const input = new JSONSchemaInput(new FetchingJSONSchemaStore());
  const schema = JSON.stringify({
    $ref: `#/components/schemas/${name}`,
    components: { schemas: titled(document.components) },
  });
  await input.addSource({ name, schema });
  const inputData = new InputData();
  inputData.addInput(input);
  const { lines } =
    language === 'swift'
      ? await quicktype({ inputData, lang: 'swift', rendererOptions: { initializers: false } })
      : await quicktype({ inputData, lang: 'kotlin', rendererOptions: { framework: 'kotlinx' } });
  return lines.join('\n');
}
