// The validators of all operations come from one Ajv for each part of a request, and equal schemas are one validator.
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { createBackend } from '../../src/api/backend.ts';
import { shareAjv } from '../../src/api/shared-ajv.ts';

const error = { type: 'object', required: ['error'], properties: { error: { type: 'string' } } };

describe('a shared Ajv', () => {
  const share = shareAjv((ajv) => ajv.addFormat('short', /^.{1,3}$/));

  it('compiles equal schemas once, and other ones by themselves', () => {
    const [first, second] = [share(new Ajv(), {}, 'response'), share(new Ajv(), {}, 'response')];
    expect(second.compile(structuredClone(error))).toBe(first.compile(error));
    expect(second.compile({ ...error, required: [] })({})).toBe(true);
    expect(first.compile(error)({})).toBe(false);
  });

  it('has the options and formats of its own part', () => {
    const parameters = share(new Ajv({ coerceTypes: true }), {}, 'parameters').compile({ type: 'number' });
    const answers = share(new Ajv(), {}, 'response').compile({ type: 'number' });
    expect([parameters('1'), answers('1')]).toEqual([true, false]);
    expect(share(new Ajv(), {}, 'response').compile({ type: 'string', format: 'short' })('long')).toBe(false);
  });
});

describe('the contract', () => {
  it('has one validator for the errors that its operations share', async () => {
    const { validator } = await createBackend();
    const ofMe = validator.getStatusBasedResponseValidatorForOperation('getMe');
    const ofPayments = validator.getStatusBasedResponseValidatorForOperation('listPixPayments');
    expect(ofMe?.['401']).toBe(ofPayments?.['401']);
    expect(ofMe?.['200']).not.toBe(ofPayments?.['200']);
  });
});
