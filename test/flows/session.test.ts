// How long sessions last. test/api-security tries invalid sessions.
import { expect, test } from 'vitest';
import { call } from '../support/http.ts';
import { signUp } from '../support/person.ts';
import { useWorld } from '../support/use-world.ts';

const DAY_SECONDS = 86_400;

const { world } = useWorld();

test('a session lasts thirty days and not a second more', async () => {
  const token = (await signUp(world)).token;
  const status = async () => (await call(world, 'GET', '/me', { token })).status;
  world.clock.advance((30 * DAY_SECONDS - 60) * 1_000);
  expect(await status()).toBe(200);
  world.clock.advance(61_000);
  expect(await status()).toBe(401);
});
