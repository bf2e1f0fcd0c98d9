// Every operation of the contract is tried with surplus fields and with fields of another type. Each refusal names the place.
import { beforeAll, expect, test } from 'vitest';
import { must, type Person } from '../support/person.ts';
import { useWorld } from '../support/use-world.ts';
import { contract, type Form, namesOfContract, type Schema } from './contract.ts';
import { inherited, kinds, shareOf, wished } from './corpus.ts';
import { codeIn, withoutDate } from './raw.ts';
import { exampleFor, sendTo } from './send-to.ts';

let before: unknown;

const { world, ada } = useWorld({ deposit: '10.00' });
beforeAll(async () => {
  before = await everythingOf(ada);
});

const everythingOf = async ({ api }: Person) => ({
  me: must(await api.GET('/me')),
  bankDetails: must(await api.GET('/bank-details')),
  transactions: must(await api.GET('/transactions')),
  payments: must(await api.GET('/pix/payments')),
  withdraws: must(await api.GET('/withdraws')),
});

const bodies = contract.flatMap((operation) =>
  operation.forms.map((form) => ({ ...operation, form, said: JSON.stringify(form.example) })),
);
const closed = bodies.filter(({ form }) => !form.isOpen);
const byAda = () => ({ authorization: `Bearer ${ada.token}` });

const parameters = contract.flatMap((operation) => operation.parameters.map(({ name }) => name));
const declared = [...new Set([...namesOfContract, ...parameters])];
/** Names that an attacker wishes for are tried everywhere. */
const namesBut = (own: string[], place: number): string[] =>
  [...shareOf(declared, place), ...wished, ...inherited].filter((name) => !own.includes(name));

test.each(contract.map((operation, place) => ({ ...operation, place })))(
  '$method $path accepts no parameter that it does not declare',
  async ({ place, ...operation }) => {
    const own = operation.parameters.map(({ name }) => name);
    for (const name of namesBut(own, place)) {
      const query = `?${encodeURIComponent(name)}=1`;
      const answer = await sendTo(world, operation, { query, ...byAda(), ...exampleFor(operation) });
      expect(codeIn(answer)).toEqual([400, 'invalid_request', `/query/${name}`]);
    }
  },
);

test.each(closed.map((body, place) => ({ ...body, place })))(
  '$method $path accepts no surplus field in $said',
  async ({ form, place, ...operation }) => {
    const surplus = namesBut(Object.keys(form.properties), place);
    expect(surplus.length).toBeGreaterThan(30);
    for (const name of [...surplus, '']) {
      const body = adding(form, name, inherited.includes(name) ? '{"admin":true}' : '"x"');
      const answer = await sendTo(world, operation, { ...byAda(), body });
      expect([name, ...codeIn(answer)]).toEqual([name, 400, 'invalid_request', `/body/${name}`]);
    }
  },
);

test.each(closed)(
  '$method $path accepts no value of another type in $said',
  async ({ form, ...operation }) => {
    for (const [name, schema] of Object.entries(form.properties))
      for (const value of kinds.filter((one) => !isOf(schema, one))) {
        const body = JSON.stringify({ ...form.example, [name]: value });
        const answer = await sendTo(world, operation, { ...byAda(), body });
        const place = `/body/${name}`;
        expect([value, ...codeIn(answer)]).toEqual([value, 400, 'invalid_request', place]);
      }
  },
);

test.each(closed)(
  '$method $path accepts an object and nothing else: $said',
  async ({ said, ...operation }) => {
    for (const body of ['null', 'true', '5', '""', '[]', `[${said}]`, JSON.stringify(said)]) {
      const answer = await sendTo(world, operation, { ...byAda(), body });
      expect([body, ...codeIn(answer)]).toEqual([body, 400, 'invalid_request', '/body']);
    }
  },
);

const bodiless = contract.filter(({ forms, id }) => forms.length === 0 && id !== 'closeAccount');
test.each(bodiless)('$method $path ignores any body', async (operation) => {
  const without = withoutDate(await sendTo(world, operation, byAda()));
  for (const body of ['{', '{"surprise":1}', 'x'.repeat(100_000)])
    expect(withoutDate(await sendTo(world, operation, { ...byAda(), body }))).toEqual(without);
});

test('bodies are flat, so no nested field is left untried', () => {
  const types = closed.flatMap(({ form }) => Object.values(form.properties).map(({ type }) => String(type)));
  expect([...new Set(types)].toSorted()).toEqual(['integer', 'number', 'string']);
});

test('bodies accept no surplus field, except the provider’s', () => {
  const open = bodies.filter(({ form }) => form.isOpen);
  expect(open.map(({ id }) => id)).toEqual(['receiveProviderWebhook']);
});

/** Returns whether a value has the type of the schema. Other tests try the valid values. */
function isOf({ type, enum: values }: Schema, value: unknown): boolean {
  if (values) return values.includes(value);
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}

/** The example with one more field, as raw JSON, because assigning some names has a special meaning. */
function adding({ example }: Form, name: string, value: string): string {
  const [text, comma] = [JSON.stringify(example), Object.keys(example).length > 0 ? ',' : ''];
  return `${text.slice(0, -1)}${comma}${JSON.stringify(name)}:${value}}`;
}

test('everything is as it was after these requests, and no prototype was touched', async () => {
  expect(await everythingOf(ada)).toEqual(before);
  expect([Object.keys(Object.prototype), 'admin' in {}, 'x' in {}]).toEqual([[], false, false]);
});
