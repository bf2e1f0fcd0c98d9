// Sets up openapi-backend from the contract: its router finds operations, and its compiled schemas validate requests and responses.
// contract.ts uses both to handle a request. The published contract allows additional properties, because it will grow and clients must
// accept new ones. Today's responses have no undeclared property, so our own validation refuses them.
import addFormats from 'ajv-formats';
import { type Document, OpenAPIBackend } from 'openapi-backend';
import { compileOnce } from '../../openapi/compile-once.ts';
import document from '../../openapi/generated/openapi.json' with { type: 'json' };
import { CompiledRouter } from '../../openapi/router.ts';
import { uuidPattern } from '../domain/ids.ts';

let created: Promise<OpenAPIBackend> | undefined;

/** Resolves with the process's only backend. It depends on nothing but the contract, and its schemas take half a second to compile. */
export const theBackend = (): Promise<OpenAPIBackend> => (created ??= createBackend());

/** Creates a backend of its own, for a caller that changes it. */
export async function createBackend(): Promise<OpenAPIBackend> {
  const api = new OpenAPIBackend({
    definition: closedDocument(document) as unknown as Document,
    strict: true,
    // The contract is checked before it is committed. `quick` skips that check and compiles only the schemas that are used.
    quick: true,
    validate: true,
    coerceTypes: true,
    ajvOpts: {
      strict: false,
      discriminator: true,
      useDefaults: true,
      allErrors: false,
      // The validator compiles the meta-schema again for each schema that it checks. That takes half of the start-up time.
      validateSchema: false,
    },
    customizeAjv: (ajv, options) => {
      addFormats.default(ajv);
      // The format's default rule also accepts `urn:uuid:`, which cannot be compared with our uuid columns.
      ajv.addFormat('uuid', uuidPattern);
      // Only responses have timestamps, and the service writes all of them in this form. The default rule would take a third
      // of the time to validate a list.
      ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      return compileOnce(ajv, options, 'service');
    },
  });
  await api.init();
  api.router = new CompiledRouter(api);
  return api;
}

/**
 * Sets `additionalProperties: false` on every object schema that does not set it. Removes the mappings of discriminators: the
 * validator rejects them, and they only repeat the names of the schemas.
 */
export function closedDocument(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closedDocument);
  if (typeof value !== 'object' || value === null) return value;
  const own = Object.fromEntries(
    Object.entries(value as Record<string, unknown>).map(([name, child]) => [
      name,
      name === 'discriminator' ? unmapped(child as { propertyName: string }) : closedDocument(child),
    ]),
  );
  return own['type'] === 'object' && 'properties' in own ? { additionalProperties: false, ...own } : own;
}

const unmapped = ({ propertyName }: { propertyName: string }) => ({ propertyName });
