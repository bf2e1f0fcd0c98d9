// The validator's findings in the words of the contract's ErrorDetail: where, and what is wrong there.
import type { ErrorObject } from 'ajv';
import type { ErrorDetail } from '../../openapi/generated/openapi.ts';

const prefixes: [RegExp, string][] = [
  [/^\/requestBody(?=\/|$)/, '/body'],
  [/^\/header(?=\/|$)/, '/headers'],
];

export const validationDetails = (errors: ErrorObject[]): ErrorDetail[] => errors.map(detailOf);

function detailOf({ instancePath, message, params, keyword }: ErrorObject): ErrorDetail {
  const name = String(params['additionalProperty'] ?? params['missingProperty']);
  if (keyword === 'additionalProperties')
    return { path: at(`${instancePath}/${name}`), message: 'is not expected here' };
  if (keyword === 'required') return { path: at(`${instancePath}/${name}`), message: 'is required' };
  return { path: at(instancePath) || '/body', message: message ?? 'is not valid' };
}

const at = (place: string): string => prefixes.reduce((text, [from, to]) => text.replace(from, to), place);
