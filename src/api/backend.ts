// openapi-backend, set up from the contract: its compiled schemas validate requests and responses. contract.ts has the path of a
// request through it.

import addFormats from 'ajv-formats';
import { type Document, OpenAPIBackend } from 'openapi-backend';
import { compileOnce } from '../../openapi/compile-once.ts';
import document from '../../openapi/generated/openapi.json' with { type: 'json' };
import { uuidPattern } from '../domain/ids.ts';
import { closedDocument } from './own-document.ts';

/** The router and the validators of the contract, all of them compiled. */
export async function createBackend(): Promise<OpenAPIBackend> {
  const api = new OpenAPIBackend({
    definition: closedDocument(document) as unknown as Document,
    strict: true,
    // The contract is checked before it is committed; here only what is used is compiled.
    quick: true,
    validate: true,
    coerceTypes: true,
    ajvOpts: {
      strict: false,
      discriminator: true,
      useDefaults: true,
      allErrors: false,
      // Each schema would be validated against the meta-schema, compiled again for each: half of a start's time.
      validateSchema: false,
    },
    customizeAjv: (ajv, options) => {
      addFormats.default(ajv);
      // The format's own rule also accepts `urn:uuid:`, which no column of ours can be compared with.
      ajv.addFormat('uuid', uuidPattern);
      // Only answers have timestamps, all written in one form. Validating them would be a third of a list's check.
      ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      return compileOnce(ajv, options, 'service');
    },
  });
  await api.init();
  return api;
}
