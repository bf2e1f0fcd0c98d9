// Sessions: what they open, how long they last, and everything that is none.
import { SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, faultIn } from '../support/http.ts';
import { mintIdToken, type Person, signUp } from '../support/person.ts';
import { startWorld, type World } from '../support/world.ts';

const DAY_SECONDS = 86_400;
let world: World;
let ada: Person;

beforeAll(async () => {
  world = await startWorld();
  ada = await signUp(world);
});
afterAll(() => world.stop());

const now = () => Math.floor(Date.now() / 1000);
const secret = () => Buffer.from(world.env['SESSION_SECRET'] ?? '');
const signed = (changed: Record<string, unknown> = {}, header: object = {}, key: Uint8Array = secret()) =>
  new SignJWT({ sub: ada.userId, iat: now(), exp: now() + 60, ...changed })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT', ...header })
    .sign(key);

describe('a session', () => {
  it('is good when nothing is wrong with it', async () => {
    expect((await call(world, 'GET', '/me', { token: await signed() })).status).toBe(200);
  });

  const refused: [string, () => Promise<string> | string][] = [
    ['nothing', () => ''],
    ['another scheme', () => `Basic ${ada.token}`],
    ['a token alone', () => ada.token],
    ['a scheme alone', () => 'Bearer'],
    ['two tokens', () => `Bearer ${ada.token} ${ada.token}`],
    ['garbage', () => 'Bearer garbage'],
    ['another signature', async () => `Bearer ${await signed({}, {}, Buffer.alloc(32, 1))}`],
    ['another algorithm', async () => `Bearer ${await signed({}, { alg: 'HS512' }, Buffer.alloc(64, 1))}`],
    [
      'algorithm none',
      () => `Bearer ${new UnsecuredJWT({ sub: ada.userId }).setIssuedAt().setExpirationTime('1h').encode()}`,
    ],
    ['an ID token', async () => `Bearer ${await mintIdToken(world, 'b', { subject: ada.userId })}`],
    [
      'an unknown user',
      async () => `Bearer ${await signed({ sub: '0198c2f5-0c6f-7b8e-8f21-5e0b7a1d9c46' })}`,
    ],
    ['a user that is no id', async () => `Bearer ${await signed({ sub: "' or 1=1" })}`],
    ['no user', async () => `Bearer ${await signed({ sub: undefined })}`],
    ['no end', async () => `Bearer ${await signed({ exp: undefined })}`],
    ['an end in the past', async () => `Bearer ${await signed({ exp: now() - 1 })}`],
  ];
  it.each(refused)('with %s is refused', async (_what, make) => {
    const authorization = await make();
    const headers: Record<string, string> = authorization === '' ? {} : { authorization };
    const answer = await call(world, 'GET', '/me', { headers });
    expect(faultIn(answer)).toEqual([401, 'unauthorized']);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('lasts thirty days and not a second more', async () => {
    const token = (await signUp(world)).token;
    const status = async () => (await call(world, 'GET', '/me', { token })).status;
    world.clock.advance((30 * DAY_SECONDS - 60) * 1_000);
    expect(await status()).toBe(200);
    world.clock.advance(61_000);
    expect(await status()).toBe(401);
  });
});
