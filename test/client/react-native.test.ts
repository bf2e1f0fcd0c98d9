// The client's own tests once more, on a platform that lacks what React Native lacks.
import '../support/without-what-react-native-lacks.ts';
import { expect, it } from 'vitest';
import { reasonOf } from '../../packages/client/src/abort.ts';
import './br-code.test.ts';
import './transport.test.ts';

it('has nothing that React Native lacks', () => {
  expect(['any', 'timeout', 'abort'].filter((name) => Reflect.get(AbortSignal, name) !== undefined)).toEqual(
    [],
  );
  expect(Reflect.get(AbortSignal.prototype, 'throwIfAborted')).toBeUndefined();
  expect(() => new URLSearchParams('a=b').get('a')).toThrow(TypeError);
});

it('gives an AbortError to an app whose platform keeps no reason', () => {
  const { signal } = new AbortController();
  expect(reasonOf(signal)).toMatchObject({ name: 'AbortError' });
});
