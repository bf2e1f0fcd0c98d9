// Maps the validator's errors to the contract's ErrorDetail: a path, a message, and a code if a user can have typed the value.
import type { ErrorObject } from 'ajv';
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
const MOST_CHARACTERS = 100;

export const validationDetails = (errors: ErrorObject[]): ErrorDetail[] => errors.map(detailOf);

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
  name.length > MOST_CHARACTERS ? name.slice(0, MOST_CHARACTERS).replace(/[\ud800-\udbff]$/, '') : name;

const at = (place: string): string => prefixes.reduce((text, [from, to]) => text.replace(from, to), place);
