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
  // Which of several forms a body has is said by one of its properties.
  if (keyword === 'discriminator')
    return { path: at(`${instancePath}/${String(params['tag'])}`), message: 'is none of the known ones' };
  return { path: at(instancePath) || '/body', message: message ?? 'is not valid' };
}

const at = (place: string): string => prefixes.reduce((text, [from, to]) => text.replace(from, to), place);
