// Equal schemas are compiled once in a process. Schemas that only look equal are kept apart.
import { Ajv, type Options } from 'ajv';
import { expect, test } from 'vitest';
import { compileOnce } from '../../openapi/compile-once.ts';

const compiler = (options: Options, dialect = 'a test') => compileOnce(new Ajv(options), options, dialect);
const schema = () => ({ type: 'object', properties: { amount: { type: 'integer' } } });

test('two compilers with the same options give an equal schema the same function', () => {
  expect(compiler({ strict: false }).compile(schema())).toBe(compiler({ strict: false }).compile(schema()));
});

test('another schema, other options and another dialect are compiled for themselves', () => {
  const plain = compiler({});
  const coercing = compiler({ coerceTypes: true });
  expect(plain.compile(schema())({ amount: '5' })).toBe(false);
  expect(coercing.compile(schema())({ amount: '5' })).toBe(true);
  expect(plain.compile({ ...schema(), required: ['amount'] })({})).toBe(false);
  expect(plain.compile(schema())({})).toBe(true);

  const strictly = compiler({}, 'with even amounts');
  strictly.addFormat('sum', { type: 'number', validate: (sum) => sum % 2 === 0 });
  const loosely = compiler({}, 'with any amounts');
  loosely.addFormat('sum', { type: 'number', validate: () => true });
  const formatted = { type: 'number', format: 'sum' };
  expect([strictly.compile(formatted)(3), loosely.compile(formatted)(3)]).toEqual([false, true]);
});

test('a shared function reports the errors of its last call', () => {
  const one = compiler({}).compile(schema());
  const other = compiler({}).compile(schema());
  one({ amount: 'five' });
  expect(other.errors).toHaveLength(1);
  other({ amount: 5 });
  expect(one.errors).toBeNull();
});
