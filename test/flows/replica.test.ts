// A replica may lag by a moment: only lists are read from it, and never the caller's own row. Here it lags by
// everything.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../scripts/embedded-database.ts';
import type { Service } from '../../src/start/start-service.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { call, faultIn } from '../support/http.ts';
import { must, type Person, pay, quote, reaches, verified } from '../support/person.ts';
import { startWatchedService } from '../support/watched-service.ts';
import { startWorld, type World } from '../support/world.ts';

let world: World;
let ada: Person;
let payment: string;
let replica: TestDatabase;
let service: Service;
let at: { url: string };

beforeAll(async () => {
  [world, replica] = await Promise.all([startWorld(), createTestDatabase()]);
  ada = await verified(world, { deposit: '100.00' });
  payment = await pay(ada, await quote(ada, 5));
  await reaches(ada, payment, 'completed');
  const env = {
    ...world.env,
    ROLE: 'api',
    PORT: String(await freePort()),
    DATABASE_REPLICA_URL: replica.url,
  };
  service = await startWatchedService(env, world.clock);
  at = { url: service.url ?? '' };
});
afterAll(() => world.stop());
afterAll(() => replica.drop());
afterAll(() => service.stop());

const by = () => ({ token: ada.token });

it.each(['/transactions', '/pix/payments'])('the list of %s comes from it', async (path) => {
  const [here, there] = [await call(world, 'GET', path, by()), await call(at, 'GET', path, by())];
  expect(JSON.parse(here.text)).not.toEqual([]);
  expect([there.status, JSON.parse(there.text)]).toEqual([200, []]);
});

it('one payment, one transaction and the person do not', async () => {
  const listed = must(await ada.api.GET('/transactions'));
  for (const path of ['/me', `/pix/payments/${payment}`, `/transactions/${listed[0]?.id}`]) {
    const [here, there] = [await call(world, 'GET', path, by()), await call(at, 'GET', path, by())];
    expect([path, there.status, there.body]).toEqual([path, 200, here.body]);
  }
});

it('the caller is authenticated before the request is validated', async () => {
  const unknown = { token: await world.service.app.sessions.issue('0198c2f5-0c6f-7b8e-8f21-5e0b7a1d9c46') };
  for (const query of ['', '?limit=0', '?cursor=x', '?x=1'])
    expect(faultIn(await call(at, 'GET', `/transactions${query}`, unknown))).toEqual([401, 'unauthorized']);
  expect(faultIn(await call(at, 'GET', '/transactions?cursor=x', by()))).toEqual([
    400,
    'invalid_request',
    '/query/cursor',
  ]);
});
