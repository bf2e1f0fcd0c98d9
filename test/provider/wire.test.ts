// The schemas of the provider's replies, which are compiled when the first reply arrives.
import { expect, test } from 'vitest';
import document from '../../openapi/generated/provider.json' with { type: 'json' };
import { readWire } from '../../src/provider/wire.ts';

const replies = [...readWire()].flatMap(([operation, route]) =>
  [...route.replies].map(([status, faultOf]) => ({ operation, status, faultOf })),
);

test.each(replies)('the schema of $operation $status compiles and refuses a text', ({ faultOf }) => {
  expect(faultOf('no such reply')).toEqual(expect.any(String));
});

test('the schema of a reply reports the same fault for a second reply', () => {
  const [first] = replies;
  expect(first?.faultOf('no such reply')).toBe(first?.faultOf('no such reply'));
});

test.each([
  ['getPayout', document.components.responses.Payout],
  ['getOwner', document.components.responses.Owner],
] as const)('%s refuses an attempt that no column can store', (operation, response) => {
  const { example } = response.content['application/json'];
  const faultOf = readWire().get(operation)?.replies.get(200);
  expect(faultOf?.({ ...example, attempt: 2_147_483_647 })).toBeNull();
  expect(faultOf?.({ ...example, attempt: 2_147_483_648 })).toMatch(/attempt/);
});
