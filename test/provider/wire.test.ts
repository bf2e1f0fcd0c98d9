// The schemas of the provider's replies, which are compiled when the first reply comes.
import { describe, expect, it } from 'vitest';
import { readWire } from '../../src/provider/wire.ts';

describe('the schema of a reply', () => {
  const replies = [...readWire()].flatMap(([operation, route]) =>
    [...route.replies].map(([status, matches]) => ({ operation, status, matches })),
  );

  it.each(replies)('$operation $status can be compiled, and refuses a text', ({ matches }) => {
    expect(matches('no such reply')).toBe(false);
  });

  it('says the same of a second reply', () => {
    const [first] = replies;
    expect([first?.matches('no such reply'), first?.matches('no such reply')]).toEqual([false, false]);
  });
});
