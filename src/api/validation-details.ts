// Finds the wrong places of a refused request, and maps the validator's errors to the contract's ErrorDetail: a path, a message, and a
// code if a user can have typed the value.
import type { ErrorObject } from 'ajv';
import {
  type Request as ContractRequest,
  type OpenAPIBackend,
  OpenAPIValidator,
  type Operation,
} from 'openapi-backend';
import type { ErrorDetail, ErrorDetailCode } from '../../openapi/generated/openapi.ts';

const prefixes: [RegExp, string][] = [
  [/^\/requestBody(?=\/|$)/, '/body'],
  [/^\/header(?=\/|$)/, '/headers'],
];

/** The properties that a user types, with the code of a fault in each. A property that is missing or unknown is the app's fault. */
const codes = new Map<string, ErrorDetailCode>([
  ['/body/accountHolderName', 'invalid_name'],
  ['/body/accountNumber', 'invalid_account_number'],
  ['/body/amount', 'invalid_amount'],
  ['/body/amountBrl', 'invalid_amount'],
  ['/body/bic', 'invalid_bic'],
  ['/body/displayName', 'invalid_name'],
  ['/body/iban', 'invalid_iban'],
  ['/body/pixKey', 'invalid_pix_key'],
  ['/body/recipientName', 'invalid_name'],
  ['/body/sortCode', 'invalid_sort_code'],
]);

/** The maximum length to which an unknown property's name is repeated in the response. */
const MAX_CHARACTERS = 100;

/** The maximum number of places that a response names. */
const MAX_PLACES = 20;

/**
 * The maximum size of a body that is searched for all its faults. A larger one can have 100,000 unknown properties, so only the first
 * fault of it is named. Only bodies with notes and callbacks may be larger.
 */
const MAX_SEARCHED_BYTES = 32 * 1024;

/** A request that the contract's validator has refused, with its first errors. */
type RefusedRequest = {
  contractRequest: ContractRequest;
  operation: Operation;
  errors: ErrorObject[];
  bodyBytes: number;
};

/**
 * Returns a function that names the wrong places of a refused request. It validates the request a second time and collects all faults.
 * The first validation of every request stops at the first fault. The second schemas are compiled when a request needs them.
 */
export function createValidationDetails(api: OpenAPIBackend): (refused: RefusedRequest) => ErrorDetail[] {
  const validator = new OpenAPIValidator({
    definition: api.definition,
    router: api.router,
    ajvOpts: { ...api.ajvOpts, allErrors: true },
    ...(api.customizeAjv && { customizeAjv: api.customizeAjv }),
    coerceTypes: api.coerceTypes ?? false,
    lazyCompileValidators: true,
  });
  return ({ contractRequest, operation, errors, bodyBytes }) => {
    const all =
      bodyBytes > MAX_SEARCHED_BYTES ? null : validator.validateRequest(contractRequest, operation).errors;
    return placesIn(all ?? errors);
  };
}

/** Returns the first fault of each place. A value that has another type also breaks its other rules, which says nothing more. */
function placesIn(errors: ErrorObject[]): ErrorDetail[] {
  const places = new Map<string, ErrorDetail>();
  for (const error of errors) {
    const detail = detailOf(error);
    if (!places.has(detail.path)) places.set(detail.path, detail);
    if (places.size === MAX_PLACES) break;
  }
  return [...places.values()];
}

function detailOf({ instancePath, message, params, keyword }: ErrorObject): ErrorDetail {
  const name = cut(String(params['additionalProperty'] ?? params['missingProperty']));
  if (keyword === 'additionalProperties')
    return { path: at(`${instancePath}/${name}`), message: 'is not expected here' };
  if (keyword === 'required') return { path: at(`${instancePath}/${name}`), message: 'is required' };
  // A discriminator is the property that selects one of several forms of a body.
  if (keyword === 'discriminator')
    return { path: at(`${instancePath}/${String(params['tag'])}`), message: 'is none of the known ones' };
  const path = at(instancePath) || '/body';
  const code = codes.get(path);
  return { path, message: message ?? 'is not valid', ...(code && { code }) };
}

/** Shortens a name to its maximum length. Half a surrogate pair at the end is dropped. */
const cut = (name: string): string =>
  name.length > MAX_CHARACTERS ? name.slice(0, MAX_CHARACTERS).replace(/[\ud800-\udbff]$/, '') : name;

const at = (place: string): string => prefixes.reduce((text, [from, to]) => text.replace(from, to), place);
