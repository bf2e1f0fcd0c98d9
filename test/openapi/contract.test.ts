// Checks the contract itself: what every operation must have, and every example against its schema.
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { OpenAPIBackend } from 'openapi-backend';
import { describe, expect, test } from 'vitest';
import bundle from '../../openapi/generated/openapi.json' with { type: 'json' };
import { closedDocument } from '../../src/api/backend.ts';

interface Media {
  schema: object;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}
interface Answer {
  headers: Record<string, unknown>;
  /** A 204 has none. */
  content?: Record<string, Media>;
}
interface Operation {
  operationId: string;
  security?: object[];
  parameters?: object[];
  requestBody?: { content: Record<string, Media>; 'x-max-bytes'?: number };
  responses: Record<string, { $ref?: string } & Partial<Answer>>;
}

const operations = Object.values(
  bundle.paths as unknown as Record<string, Record<string, Operation>>,
).flatMap((methods) => Object.values(methods));
const answers = operations.flatMap((operation) =>
  Object.entries(operation.responses).map(([status, response]) => ({
    name: `${operation.operationId} ${status}`,
    status: Number(status),
    answer: resolved(response),
  })),
);

/** The operations that are open on purpose. Any other one requires a session. */
const open = new Set(['getHealth', 'createSession', 'receiveProviderWebhook']);

describe.each(operations)('$operationId', ({ operationId, security, parameters, requestBody, responses }) => {
  const isOpen = open.has(operationId);

  test('an operation requires a session, unless it is one of the three that are open', () => {
    expect(
      security ?? bundle.security,
      'Remove `security` from the operation. Only an operation that is open on purpose is added to the list in this file.',
    ).toEqual(isOpen ? [] : [{ bearerAuth: [] }]);
  });

  test('an operation accepts the id that a client gives its request', () => {
    expect(parameters, `Add X-Request-Id.yaml to the parameters of ${operationId}.`).toContainEqual({
      $ref: '#/components/parameters/X-Request-Id',
    });
  });

  test('an operation accepts the languages of the user', () => {
    expect(parameters, `Add Accept-Language.yaml to the parameters of ${operationId}.`).toContainEqual({
      $ref: '#/components/parameters/Accept-Language',
    });
  });

  test('an operation declares the errors of every operation, and those of its kind', () => {
    const expected = ['400', '500', '503'];
    if (!isOpen) expected.push('401');
    if (requestBody) expected.push('413', '415');
    const missing = expected.filter((status) => !(status in responses));
    expect(missing, `Declare these statuses in the contract under ${operationId}.`).toEqual([]);
  });

  test('an operation limits its body, except for notes, which the specification does not limit', () => {
    const limit = operationId === 'receiveProviderWebhook' ? 16 * 1024 * 1024 : 32 * 1024;
    const isLimited = requestBody !== undefined && operationId !== 'createDataRequest';
    expect(requestBody?.['x-max-bytes']).toBe(isLimited ? limit : undefined);
  });

  test('an operation refuses a closed account, unless it closes it or has no user', () => {
    const refuses = operationId === 'createSession' || (!isOpen && operationId !== 'closeAccount');
    expect(
      '403' in responses,
      `The contract ${refuses ? 'has to declare' : 'must not declare'} 403 under ${operationId}.`,
    ).toBe(refuses);
  });
});

test.each(answers)('the answer $name has the header X-Request-Id', ({ answer }) => {
  expect(answer.headers).toHaveProperty('X-Request-Id');
});

test.each(answers)(
  'the answer $name names its language, exactly if it has sentences',
  ({ answer, status }) => {
    const schemas = reached(answer.content ?? {});
    const hasSentences = ['ApiError', 'PixPayment', 'Transaction'].some((name) =>
      schemas.has(`schemas ${name}`),
    );
    expect(hasSentences || status < 400).toBe(true);
    expect('Content-Language' in (answer.headers ?? {})).toBe(hasSentences);
  },
);

test('the sentences of answers are in these schemas, and in no other', () => {
  const sentences = ['error', 'failureReason'];
  const having = Object.entries(bundle.components.schemas).filter(
    ([, schema]) => 'properties' in schema && sentences.some((name) => name in (schema.properties ?? {})),
  );
  expect(having.map(([name]) => name).toSorted()).toEqual(['ApiError', 'PixPayment', 'Transaction']);
});

test.each(answers.filter(({ status }) => status >= 400))(
  'the answer $name has the ApiError schema',
  ({ answer }) => {
    expect(answer.content?.['application/json']?.schema).toEqual({ $ref: '#/components/schemas/ApiError' });
  },
);

describe('compatible changes', () => {
  const { schemas } = bundle.components;
  const objectsIn = (part: unknown) =>
    Object.entries(schemas).filter(
      ([name, schema]) => isObject(schema) && !('oneOf' in schema) && reached(part).has(`schemas ${name}`),
    );

  test('the schemas of answers are open, so that fields can be added', () => {
    const answered = objectsIn(operations.map(({ responses }) => responses));
    expect(answered.length).toBeGreaterThan(20);
    for (const [name, schema] of answered)
      expect([name, 'additionalProperties' in schema]).toEqual([name, false]);
  });

  test('the schemas of requests say what happens to undeclared properties', () => {
    const bodies = objectsIn(operations.map(({ requestBody }) => requestBody ?? null));
    expect(bodies.length).toBeGreaterThan(8);
    for (const [name, schema] of bodies)
      expect([name, 'additionalProperties' in schema && schema.additionalProperties]).toEqual([
        name,
        name === 'WebhookEvent',
      ]);
  });

  test('the introduction says what a client must tolerate', () => {
    const section = /## What may change\n([^]*?)\n## /.exec(bundle.info.description)?.[1] ?? '';
    for (const word of ['fields', 'codes', 'states', 'names of events', 'failureCode', 'tolerate'])
      expect(section).toContain(word);
  });
});

const validator = strictest();

const examples = [
  ...operations.flatMap(({ operationId, requestBody }) =>
    Object.values(requestBody?.content ?? {}).flatMap((media) => shown(`${operationId} request`, media)),
  ),
  ...answers.flatMap(({ name, answer }) =>
    Object.values(answer.content ?? {}).flatMap((media) => shown(name, media)),
  ),
];

test('every body has an example', () => {
  const bodies =
    operations.filter(({ requestBody }) => requestBody).length +
    answers.filter(({ answer }) => answer.content).length;
  expect(new Set(examples.map(({ body }) => body)).size).toBe(bodies);
});

test('no header of a request has an example, which the reference page would send with every request', () => {
  const headers = Object.values(bundle.components.parameters).filter(
    (parameter) => parameter.in === 'header',
  );
  expect(headers.map(({ name }) => name).toSorted()).toEqual([
    'Accept-Language',
    'Idempotency-Key',
    'X-Request-Id',
  ]);
  expect(headers.filter((header) => 'example' in header)).toEqual([]);
});

test.each(examples)('an example matches its schema: $name', ({ schema, value }) => {
  const validate = compile(schema);
  validate(value);
  expect(validate.errors).toBeNull();
});

test('an error is shown with the status that belongs to its code', () => {
  const statusOf = new Map<string, number>();
  for (const row of bundle.components.schemas.ErrorCode.description.matchAll(/\| `(\w+)` \| (\d{3}) \|/g)) {
    statusOf.set(row[1] ?? '', Number(row[2]));
  }
  expect([...statusOf.keys()]).toEqual(bundle.components.schemas.ErrorCode.enum);
  const errors = examples.filter(
    ({ schema }) => '$ref' in schema && String(schema.$ref).endsWith('/ApiError'),
  );
  for (const { name, body, value } of errors) {
    expect([name, statusOf.get((value as { code: string }).code)]).toEqual([name, Number(body.slice(-3))]);
  }
});

test.each([
  [
    'pounds',
    { currency: 'GBP', accountHolderName: 'A', accountNumber: '31926819', sortCode: '60-16-13' },
    true,
  ],
  [
    'euros with the fields of pounds',
    { currency: 'EUR', accountHolderName: 'A', accountNumber: '31926819' },
    false,
  ],
  ['a currency that nobody holds', { currency: 'USD', accountHolderName: 'A', iban: 'X', bic: 'Y' }, false],
  ['no currency', { accountHolderName: 'A', iban: 'X', bic: 'Y' }, false],
  ['U+0000', { currency: 'EUR', accountHolderName: 'A\u0000', iban: 'X', bic: 'Y' }, false],
  ['one field more', { currency: 'EUR', accountHolderName: 'A', iban: 'X', bic: 'Y', swift: 'Z' }, false],
])('the schema of bank details decides correctly about %s', (_name, body, expected) => {
  expect(compile({ $ref: '#/components/schemas/BankDetailsRequest' })(body)).toBe(expected);
});

test('the router accepts the document in its strict mode and compiles every schema', async () => {
  const api = new OpenAPIBackend({
    definition: structuredClone(validator.document) as never,
    strict: true,
    ajvOpts: { strict: false, discriminator: true },
    customizeAjv: (ajv) => addFormats.default(ajv),
  });
  await api.init();
  expect(api.getOperations()).toHaveLength(operations.length);
});

const isObject = (schema: object): boolean => 'type' in schema && schema.type === 'object';

function resolved(response: { $ref?: string } & Partial<Answer>): Answer {
  const name = response.$ref?.split('/').at(-1) ?? '';
  return (name ? (bundle.components.responses as Record<string, unknown>)[name] : response) as Answer;
}

function shown(body: string, { schema, example, examples: named = {} }: Media) {
  const values = Object.entries(named).map(([key, { value }]) => ({
    name: `${body}, ${key}`,
    body,
    schema,
    value,
  }));
  return example === undefined ? values : [{ name: body, body, schema, value: example }, ...values];
}

/** Makes a validator as strict as the service's own: an example has no property that its schema does not declare. */
function strictest() {
  const document = closedDocument(bundle) as object;
  const ajv = addFormats.default(new Ajv({ strict: false, discriminator: true }));
  ajv.addSchema(document, 'contract');
  return { ajv, document };
}

function compile(schema: object): ValidateFunction {
  const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"contract#/')) as object;
  return validator.ajv.compile(absolute);
}

/** Every schema that a part of the contract refers to, directly or indirectly. */
function reached(part: unknown, seen = new Set<string>()): Set<string> {
  for (const [, section = '', name = ''] of JSON.stringify(part).matchAll(
    /"#\/components\/(\w+)\/([\w-]+)"/g,
  )) {
    if (seen.has(`${section} ${name}`)) continue;
    seen.add(`${section} ${name}`);
    reached((bundle.components as unknown as Record<string, Record<string, unknown>>)[section]?.[name], seen);
  }
  return seen;
}
