// Writes the collection that Postman, Bruno and Insomnia import. It contains every operation by tag, and the first steps in order,
// whose answers fill in the variables of the next ones.
import { type Contract, type Operation, resolved, type Schema } from './document.ts';

type Example = { example?: unknown; examples?: Record<string, { value: unknown }> };
type Named = { summary?: string; description?: string };
type Item = ReturnType<typeof requestOf>;

/** The parts of an answer that later requests need: the variable's name, and its place in the answer. */
const kept: Record<string, Record<string, string>> = {
  mintIdToken: { idToken: 'idToken' },
  createSession: { sessionToken: 'sessionToken' },
  startKyc: { verificationUrl: 'verificationUrl' },
  getMe: { accountNumber: 'deposit?.accountNumber', sortCode: 'deposit?.sortCode' },
  createPixQuote: { quoteId: 'quoteId' },
  lookUpPixRecipient: { lookupId: 'lookupId' },
  checkBankDetails: { checkId: 'checkId' },
  createPixPayment: { pixPaymentId: 'pixPaymentId', transactionId: 'transactionId' },
};

/** Properties of a body that use a variable instead of the value of the contract's example. */
const filled: Record<string, Record<string, string>> = {
  mintIdToken: { subject: '{{$guid}}' },
  createSession: { provider: 'identity_provider_b', idToken: '{{idToken}}' },
  createPixPayment: { quoteId: '{{quoteId}}', lookupId: '{{lookupId}}' },
  createWithdraw: { acceptedCheckId: '{{checkId}}' },
  sendDeposit: { accountNumber: '{{accountNumber}}', sortCode: '{{sortCode}}' },
};

const FIRST_STEPS =
  'mintIdToken createSession updateMe startKyc fillInHostedPage getKycStatus getMe sendDeposit createPixQuote lookUpPixRecipient createPixPayment getPixPayment';

export function collectionOf(service: Contract, sandbox: Contract): string {
  const items = new Map([
    ...itemsOf(service, '{{baseUrl}}'),
    ...itemsOf(sandbox, '{{sandboxUrl}}'),
    ['fillInHostedPage', { tag: 'Sandbox', item: hostedPage }] as const,
  ]);
  const tags = [...new Set([...items.values()].map(({ tag }) => tag))];
  const folders = tags.map((name) => ({
    name,
    item: [...items.values()].filter(({ tag }) => tag === name).map(({ item }) => item),
  }));
  const firstSteps = FIRST_STEPS.split(' ').flatMap((id) => items.get(id)?.item ?? []);
  const collection = {
    info: {
      name: 'Ponte',
      description:
        'Generated from the contract by scripts/generate.ts. Run "First steps" from top to bottom.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    variable: [
      { key: 'baseUrl', value: 'http://localhost:3000' },
      { key: 'sandboxUrl', value: 'http://localhost:4010' },
    ],
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{sessionToken}}', type: 'string' }] },
    item: [{ name: 'First steps', item: firstSteps }, ...folders],
  };
  return `${JSON.stringify(collection, null, 2)}\n`;
}

const itemsOf = (contract: Contract, base: string): [string, { tag: string; item: Item }][] =>
  Object.entries(contract.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => !('x-internal' in operation))
      .map(([method, operation]): [string, { tag: string; item: Item }] => [
        operation.operationId ?? '',
        { tag: operation.tags?.[0] ?? '', item: requestOf(contract, { base, path, method, operation }) },
      ]),
  );

function requestOf(
  contract: Contract,
  { base, path, method, operation }: { base: string; path: string; method: string; operation: Operation },
) {
  const { operationId = '', summary = '', description = '', security } = operation as Operation & Named;
  const parameters = (operation.parameters ?? []).map((one) => resolved(contract, one));
  const query = parameters
    .filter((one) => one.in === 'query')
    .map(({ name }) => ({ key: name, value: '', disabled: true }));
  const key = parameters.some(({ name }) => name === 'Idempotency-Key');
  const body = bodyOf(contract, operation);
  return {
    name: summary,
    ...(kept[operationId] && { event: [keeping(kept[operationId])] }),
    request: {
      method: method.toUpperCase(),
      description,
      ...((security ?? contract.security)?.length === 0 && { auth: { type: 'noauth' } }),
      header: [
        ...(body ? [{ key: 'content-type', value: 'application/json' }] : []),
        ...(key ? [{ key: 'Idempotency-Key', value: '{{$guid}}' }] : []),
      ],
      ...(body && { body: { mode: 'raw', raw: JSON.stringify(body, null, 2) } }),
      url: { raw: `${base}${pathOf(path)}`, host: [base], path: pathOf(path).slice(1).split('/'), query },
    },
  };
}

/** Replaces the ids in a path by variables that earlier answers filled. */
const pathOf = (path: string): string =>
  path
    .replace('/pix/payments/{id}', '/pix/payments/{{pixPaymentId}}')
    .replace('/transactions/{id}', '/transactions/{{transactionId}}')
    .replace('{letter}', 'b');

function bodyOf(contract: Contract, { operationId = '', requestBody }: Operation): object | undefined {
  if (requestBody === undefined) return undefined;
  const media = resolved(contract, requestBody).content?.['application/json'] as {
    schema?: Schema;
  } & Example;
  const example = media.example ?? Object.values(media.examples ?? {})[0]?.value ?? {};
  return { ...(example as object), ...filled[operationId] };
}

const keeping = (variables: Record<string, string>) => ({
  listen: 'test',
  script: {
    type: 'text/javascript',
    exec: [
      'const answer = pm.response.json();',
      ...Object.entries(variables).map(
        ([name, place]) => `if (answer.${place}) pm.collectionVariables.set('${name}', answer.${place});`,
      ),
    ],
  },
});

const hostedPage: Item = {
  name: 'Fill in the hosted page',
  request: {
    method: 'POST',
    description: 'The user does this in a browser.',
    auth: { type: 'noauth' },
    header: [{ key: 'content-type', value: 'application/x-www-form-urlencoded' }],
    body: { mode: 'raw', raw: 'full_name=Ada+Silva&email=ada%40example.com' },
    url: { raw: '{{verificationUrl}}', host: ['{{verificationUrl}}'], path: [], query: [] },
  },
};
