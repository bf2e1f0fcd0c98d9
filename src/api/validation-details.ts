// Maps the validator's errors to the contract's ErrorDetail: the place, and what is wrong there.
import type { ErrorObject } from 'ajv';
import type { ErrorDetail } from '../../openapi/generated/openapi.ts';

const prefixes: [RegExp, string][] = [
  [/^\/requestBody(?=\/|$)/, '/body'],
  [/^\/header(?=\/|$)/, '/headers'],
];

/** An unknown property's name is repeated up to this length. */
const MOST_CHARACTERS = 100;

export const validationDetails = (errors: ErrorObject[]): ErrorDetail[] => errors.map(detailOf);

function detailOf({ instancePath, message, params, keyword }: ErrorObject): ErrorDetail {
  const name = cut(String(params['additionalProperty'] ?? params['missingProperty']));
  if (keyword === 'additionalProperties')
    return { path: at(`${instancePath}/${name}`), message: 'is not expected here' };
  if (keyword === 'required') return { path: at(`${instancePath}/${name}`), message: 'is required' };
  // One property discriminates which of several forms a body has.
  if (keyword === 'discriminator')
    return { path: at(`${instancePath}/${String(params['tag'])}`), message: 'is none of the known ones' };
  return { path: at(instancePath) || '/body', message: message ?? 'is not valid' };
}

/** Half a surrogate pair is left out. */
const cut = (name: string): string =>
  name.length > MOST_CHARACTERS ? name.slice(0, MOST_CHARACTERS).replace(/[\ud800-\udbff]$/, '') : name;

const at = (place: string): string => prefixes.reduce((text, [from, to]) => text.replace(from, to), place);
