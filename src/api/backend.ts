// openapi-backend as the contract sets it up: its router finds operations, and its compiled schemas judge what is asked and
// what is answered. How a request goes through it is contract.ts.

import addFormats from 'ajv-formats';
import { type Document, OpenAPIBackend } from 'openapi-backend';
import document from '../../openapi/generated/openapi.json' with { type: 'json' };
import { matchQuickly } from '../../openapi/router.ts';
import { uuidPattern } from '../domain/ids.ts';
import { closedDocument } from './own-document.ts';

/** The router and the validators of the contract, all of them compiled. */
export async function createBackend(): Promise<OpenAPIBackend> {
  const api = new OpenAPIBackend({
    definition: closedDocument(document) as unknown as Document,
    strict: true,
    // The contract is checked before it is committed; here only what will be used is compiled.
    quick: true,
    validate: true,
    coerceTypes: true,
    ajvOpts: {
      strict: false,
      discriminator: true,
      useDefaults: true,
      allErrors: false,
      // Each schema would be held against that of schemas, which is compiled anew for each: half of what a start costs.
      validateSchema: false,
    },
    customizeAjv: (ajv) => {
      addFormats.default(ajv);
      // The format's own rule takes `urn:uuid:` as well, which no column of ours can be compared with.
      ajv.addFormat('uuid', uuidPattern);
      // Only answers have moments, and all of ours are written in one way. A third of what it costs to check a list.
      return ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    },
  });
  await api.init();
  matchQuickly(api.router);
  return api;
}
