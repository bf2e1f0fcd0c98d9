// Edits of the contract for which the comparison has a rule.
import { component, operation, type Planted, property, schema } from './planted.ts';

export const breaking: Planted[] = [
  [
    'a removed operation',
    ({ paths }) => delete paths['/withdraws']?.['get'],
    'GET /withdraws: the operation was removed',
  ],
  [
    'another name in generated clients',
    (document) => Object.assign(operation(document, 'get', '/me'), { operationId: 'readMe' }),
    'GET /me: the operationId `getMe` became `readMe`',
  ],
  [
    'another tag',
    (document) => Object.assign(operation(document, 'get', '/me'), { tags: ['Users'] }),
    'GET /me: the tag `Me` became `Users`',
  ],
  [
    'credentials where none were required',
    (document) => delete operation(document, 'post', '/auth/session').security,
    'POST /auth/session: other credentials are required',
  ],
  [
    'a removed parameter',
    (document) => operation(document, 'get', '/transactions').parameters?.splice(0, 1),
    'GET /transactions: the parameter `limit` was removed',
  ],
  [
    'a new required parameter',
    (document) =>
      operation(document, 'get', '/me').parameters?.push({ name: 'at', in: 'query', required: true }),
    'GET /me: the required parameter `at` was added',
  ],
  [
    'a parameter made required',
    (document) => Object.assign(component(document, 'parameters', 'cursor'), { required: true }),
    'GET /transactions: the parameter `cursor` became required',
  ],
  [
    'a smaller maximum of a parameter',
    (document) => Object.assign(component(document, 'parameters', 'limit').schema, { maximum: 10 }),
    'GET /transactions: `maximum` of the parameter `limit` became 10',
  ],
  [
    'a smaller body',
    (document) =>
      Object.assign(operation(document, 'post', '/withdraws').requestBody ?? {}, { 'x-max-bytes': 10 }),
    'POST /withdraws: the body may have 10 bytes at most',
  ],
  [
    'a further condition of a request',
    (document) =>
      Object.assign(schema(document, 'PixPaymentRequest'), { allOf: [{ required: ['recipientName'] }] }),
    'PixPaymentRequest: it is also all of `variant 1`',
  ],
  [
    'a required property that is new in a request',
    (document) => {
      const request = schema(document, 'WithdrawRequest');
      Object.assign(request.properties ?? {}, { purpose: { type: 'string' } });
      request.required?.push('purpose');
    },
    'WithdrawRequest: `purpose` was added and is required',
  ],
  [
    'a property made required in a request',
    (document) => schema(document, 'PixPaymentRequest').required?.push('recipientName'),
    'PixPaymentRequest: `recipientName` became required',
  ],
  [
    'a value removed from an enumeration of a request',
    (document) => schema(document, 'PixKeyType').enum?.pop(),
    'PixKeyType: it can no longer be `evp`',
  ],
  [
    'a greater minimum in a request',
    (document) => Object.assign(property(document, 'WithdrawRequest', 'amount'), { minimum: 500 }),
    'WithdrawRequest: `minimum` of `amount` became 500',
  ],
  [
    'another pattern in a request',
    (document) => Object.assign(property(document, 'GbpBankDetailsRequest', 'sortCode'), { pattern: '^1' }),
    'GbpBankDetailsRequest: `sortCode` has another pattern',
  ],
  [
    'a removed property of an answer',
    (document) => delete schema(document, 'PixPayment').properties?.['voucherId'],
    'PixPayment: `voucherId` was removed',
  ],
  [
    'a property that is no longer always answered',
    (document) => schema(document, 'PixPayment').required?.shift(),
    'PixPayment: `id` became optional',
  ],
  [
    'a property of an answer that can be null',
    (document) => Object.assign(property(document, 'PixPayment', 'pixKey'), { nullable: true }),
    'PixPayment: `pixKey` can be null',
  ],
  [
    'another type in an answer',
    (document) => Object.assign(property(document, 'PixPayment', 'amountBrl'), { type: 'number' }),
    'PixPayment: `amountBrl` has the type `number`, not `string`',
  ],
  [
    'a further variant of an answer',
    (document) => schema(document, 'BankDetails').oneOf?.push({ $ref: '#/components/schemas/Health' }),
    'BankDetails: it can be `Health`',
  ],
  [
    'a removed status',
    (document) => delete operation(document, 'post', '/pix/payments').responses?.['200'],
    'POST /pix/payments: the status 200 was removed',
  ],
  [
    'a schema of another name',
    (document) => {
      const text = JSON.stringify(document).replaceAll('schemas/HomeCurrency"', 'schemas/Money"');
      Object.assign(document, JSON.parse(text));
      const schemas = document.components?.['schemas'] ?? {};
      schemas['Money'] = schemas['HomeCurrency'];
      delete schemas['HomeCurrency'];
    },
    'HomeCurrency: the schema was removed',
  ],
];

export const compatible: Planted[] = [
  [
    'a new operation',
    (document) => Object.assign(document.paths, { '/rates': { get: {} } }),
    'GET /rates: the operation was added',
  ],
  [
    'a new optional parameter',
    (document) => operation(document, 'get', '/me').parameters?.push({ name: 'at', in: 'query' }),
    'GET /me: the optional parameter `at` was added',
  ],
  [
    'a new field of an answer',
    (document) =>
      Object.assign(schema(document, 'PixPayment').properties ?? {}, { note: { type: 'string' } }),
    'PixPayment: `note` was added',
  ],
  [
    'a new value of an enumeration in an answer',
    (document) => schema(document, 'FailureCode').enum?.push('moon'),
    'FailureCode: it can be `moon`',
  ],
  [
    'a new status',
    (document) => Object.assign(operation(document, 'get', '/me').responses ?? {}, { '418': {} }),
    'GET /me: the status 418 was added',
  ],
  [
    'a wider bound of a request',
    (document) => Object.assign(component(document, 'parameters', 'limit').schema, { maximum: 5_000 }),
    'GET /transactions: `maximum` of the parameter `limit` became 5000',
  ],
  [
    'a security scheme that nothing uses yet',
    ({ components }) =>
      Object.assign(components?.['securitySchemes'] ?? {}, { mutual: { type: 'mutualTLS' } }),
    'mutual: the security scheme was added',
  ],
  [
    'an answer that is never null any more',
    (document) => delete property(document, 'PixPayment', 'voucherId').nullable,
    'PixPayment: `voucherId` is never null',
  ],
];
