// Models in Swift and Kotlin: exactly what can be null is optional, and integers are wide enough for amounts.
import { describe, expect, test } from 'vitest';
import bundle from '../../openapi/generated/openapi.json' with { type: 'json' };
import { type Contract, resolved, type Schema } from '../../scripts/contract/document.ts';
import { modelsOf } from './clients/models.ts';

const document = bundle as unknown as Contract;
const answered = ['PixPayment', 'Transaction', 'Me', 'Withdraw', 'KycStart', 'PixQuote'];

/** Each property's name in lower case, and whether the property may be missing or null. */
function optionalIn(name: string): Record<string, boolean> {
  const { properties = {}, required = [] } = resolved<Schema>(document, {
    $ref: `#/components/schemas/${name}`,
  });
  return Object.fromEntries(
    Object.entries(properties).map(([property, schema]) => [
      property.toLowerCase(),
      !required.includes(property) || (resolved(document, schema).nullable ?? false),
    ]),
  );
}

const models = {
  swift: {
    type: (name: string) => `struct ${name}: Codable {`,
    member: /^ {4}let (\w+): ([\w?[\]]+)$/gm,
    end: '\n}',
  },
  kotlin: {
    type: (name: string) => `data class ${name} (`,
    member: /^ {4}val (\w+): ([\w?<>]+)/gm,
    end: '\n)',
  },
} as const;

describe.each(['swift', 'kotlin'] as const)('%s', (language) => {
  test.each(answered)(
    'the model %s has its properties, and those that can be null are optional',
    async (name) => {
      const { type, member, end } = models[language];
      const text = await modelsOf(document, name, language);
      const body = text.split(type(name))[1]?.split(end)[0] ?? '';
      const found = [...body.matchAll(member)].map(([, property = '', written = '']) => [
        property.toLowerCase(),
        written.endsWith('?'),
      ]);
      expect(Object.fromEntries(found)).toEqual(optionalIn(name));
    },
  );
});

test('amounts have 64 bits in Kotlin, where an Int has 32', async () => {
  expect(await modelsOf(document, 'Transaction', 'kotlin')).toContain('val sourceAmount: Long');
});
