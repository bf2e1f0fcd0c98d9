// The schemas of the provider's replies, which are compiled when the first reply arrives.
import { expect, test } from 'vitest';
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
