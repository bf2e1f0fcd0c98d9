// Edits of the contract that break clients because no rule of the comparison knows them to be compatible.
import { component, operation, type Planted, property, schema } from './planted.ts';

export const unjudged: Planted[] = [
  [
    'a value that an answer no longer has',
    (document) => schema(document, 'FailureCode').enum?.splice(1, 1),
    'FailureCode: it can no longer be `quote_expired`',
  ],
  [
    'a renamed value of an answer',
    (document) => schema(document, 'FailureCode').enum?.splice(0, 1, 'no_money'),
    'FailureCode: it can no longer be `insufficient_funds`',
  ],
  [
    'an enumeration of an answer that became a text',
    (document) => delete schema(document, 'FailureCode').enum,
    'FailureCode: it is no longer an enumeration',
  ],
  [
    'a text of an answer that became an enumeration',
    (document) => Object.assign(property(document, 'PixPayment', 'pixKey'), { enum: ['a'] }),
    'PixPayment: `pixKey` became an enumeration',
  ],
  [
    'another pattern of an answer',
    (document) => Object.assign(property(document, 'PixPayment', 'amountBrl'), { pattern: '^.*$' }),
    'PixPayment: `amountBrl` has another pattern',
  ],
  [
    'an answer without its pattern',
    (document) => delete property(document, 'PixPayment', 'amountBrl').pattern,
    'PixPayment: `amountBrl` has no pattern any more',
  ],
  [
    'a pattern where a request had none',
    (document) => Object.assign(property(document, 'SessionRequest', 'idToken'), { pattern: '^1' }),
    'SessionRequest: `idToken` has a pattern',
  ],
  [
    'a parameter that moved to a header',
    (document) => Object.assign(component(document, 'parameters', 'limit'), { in: 'header' }),
    'GET /transactions: `in` of the parameter `limit` changed',
  ],
  [
    'a parameter of another style',
    (document) => Object.assign(component(document, 'parameters', 'limit'), { explode: false }),
    'GET /transactions: `explode` of the parameter `limit` changed',
  ],
  [
    'an exclusive minimum',
    (document) => Object.assign(property(document, 'WithdrawRequest', 'amount'), { exclusiveMinimum: true }),
    'WithdrawRequest: `exclusiveMinimum` of `amount` changed',
  ],
  [
    'a divisor',
    (document) => Object.assign(property(document, 'WithdrawRequest', 'amount'), { multipleOf: 100 }),
    'WithdrawRequest: `multipleOf` of `amount` changed',
  ],
  [
    'a number of properties',
    (document) => Object.assign(schema(document, 'WithdrawRequest'), { minProperties: 2 }),
    'WithdrawRequest: `minProperties` of it changed',
  ],
  [
    'a keyword that this project has never used',
    (document) => Object.assign(property(document, 'PixPayment', 'pixKey'), { contentEncoding: 'base64' }),
    'PixPayment: `contentEncoding` of `pixKey` changed',
  ],
  [
    'another security scheme under the same name',
    ({ components }) =>
      Object.assign(components?.['securitySchemes']?.['bearerAuth'] ?? {}, { scheme: 'basic' }),
    'bearerAuth: `scheme` of the security scheme changed',
  ],
  [
    'a removed security scheme',
    ({ components }) => delete components?.['securitySchemes']?.['bearerAuth'],
    'bearerAuth: the security scheme was removed',
  ],
  [
    'another name of the discriminator',
    (document) =>
      Object.assign(schema(document, 'BankDetails'), { discriminator: { propertyName: 'country' } }),
    'BankDetails: `discriminator` of it changed',
  ],
  [
    'another type of a header',
    (document) =>
      Object.assign(operation(document, 'get', '/me').responses?.['200']?.headers ?? {}, {
        'X-Request-Id': { schema: { type: 'integer' } },
      }),
    'GET /me: the header `X-Request-Id` of 200 has the type `integer`, not `string`',
  ],
  [
    'a lower amount in an answer',
    (document) => Object.assign(property(document, 'Transaction', 'sourceAmount'), { minimum: -1 }),
    'Transaction: `minimum` of `sourceAmount` became -1',
  ],
  [
    'another default',
    (document) => Object.assign(component(document, 'parameters', 'limit').schema, { default: 5 }),
    'GET /transactions: the parameter `limit` has another default',
  ],
  [
    'elements of another type',
    (document) => Object.assign(property(document, 'ApiError', 'details'), { items: { type: 'string' } }),
    'ApiError: an element of `details` is no longer a `ErrorDetail`',
  ],
  [
    'further properties of one type',
    (document) => Object.assign(schema(document, 'User'), { additionalProperties: { type: 'string' } }),
    'User: a further property of it has another schema',
  ],
  [
    'a required property that is not declared',
    (document) => schema(document, 'WithdrawRequest').required?.push('purpose'),
    'WithdrawRequest: `purpose` became required',
  ],
  [
    'another server',
    (document) => Object.assign(document, { servers: [{ url: '/v2' }] }),
    'the document: `servers` of it changed',
  ],
  [
    'parameters of a whole path',
    (document) => Object.assign(document.paths['/me'] ?? {}, { parameters: [{ name: 'at', in: 'query' }] }),
    '/me: `parameters` of the path changed',
  ],
  [
    'callbacks of an operation',
    (document) => Object.assign(operation(document, 'get', '/me'), { callbacks: { moved: {} } }),
    'GET /me: `callbacks` of the operation changed',
  ],
  [
    'another encoding of a body',
    (document) =>
      Object.assign(
        operation(document, 'post', '/withdraws').requestBody?.content?.['application/json'] ?? {},
        {
          encoding: { amount: { style: 'form' } },
        },
      ),
    'POST /withdraws: `encoding` of the body changed',
  ],
];
