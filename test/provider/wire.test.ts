// The schemas of the provider's replies, which are compiled when the first reply comes.
import { describe, expect, it } from 'vitest';
import { readWire } from '../../src/provider/wire.ts';

describe('the schema of a reply', () => {
  const replies = [...readWire()].flatMap(([operation, route]) =>
    [...route.replies].map(([status, faultOf]) => ({ operation, status, faultOf })),
  );

  it.each(replies)('$operation $status can be compiled, and refuses a text', ({ faultOf }) => {
    expect(faultOf('no such reply')).toEqual(expect.any(String));
  });

  it('says the same of a second reply', () => {
    const [first] = replies;
    expect(first?.faultOf('no such reply')).toBe(first?.faultOf('no such reply'));
  });
});
