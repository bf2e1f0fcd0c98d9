// Runs the client's own tests again on a platform that lacks what React Native lacks.
import '../support/without-what-react-native-lacks.ts';
import { expect, test } from 'vitest';
import { reasonOf } from '../../packages/client/src/abort.ts';
import './br-code.test.ts';
import './transport.test.ts';

test('the test platform lacks what React Native lacks', () => {
  expect(['any', 'timeout', 'abort'].filter((name) => Reflect.get(AbortSignal, name) !== undefined)).toEqual(
    [],
  );
  expect(Reflect.get(AbortSignal.prototype, 'throwIfAborted')).toBeUndefined();
  expect(() => new URLSearchParams('a=b').get('a')).toThrow(TypeError);
});

test('an app whose platform keeps no reason gets an AbortError', () => {
  const { signal } = new AbortController();
  expect(reasonOf(signal)).toMatchObject({ name: 'AbortError' });
});
