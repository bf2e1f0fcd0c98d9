// A GET request only reads: a link, an image or a preview that another page loads changes nothing.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OperationId } from '../../src/api/operation.ts';
import { gbp } from '../support/bank-details.ts';
import { byTable } from '../support/by-table.ts';
import { everythingIn } from '../support/dump.ts';
import { call } from '../support/http.ts';
import { must, type Person, pay, quote, reaches, verified } from '../support/person.ts';
import { successfulRequests } from '../support/successful-requests.ts';
import { startWatchedService } from '../support/watched-service.ts';
import { startWorld, type World } from '../support/world.ts';
import { contract } from './contract.ts';

let world: World;
let ada: Person;

beforeAll(async () => {
  world = await startWorld();
  ada = await verified(world, { deposit: '100.00' });
  must(await ada.api.POST('/bank-details', { body: gbp }));
  // The provider leaves its contestation open, so that nothing changes meanwhile.
  const undecided = { pixKey: 'undecided@pix.example', pixKeyType: 'email' } as const;
  await reaches(ada, await pay(ada, await quote(ada, 5), undecided), 'completed');
  // The worker writes on its own, so from here on only an API runs.
  await world.service.stop();
  world = { ...world, service: await startWatchedService({ ...world.env, ROLE: 'api' }, world.clock) };
});
afterAll(() => world.stop());

/** Every operation that reads. Bank details are audited only when they are revealed. */
const readable = [
  ...contract.filter(({ method }) => method === 'GET').map(({ id, path }) => [path, path, id] as const),
  ['/bank-details, to reveal nothing', '/bank-details?reveal=false', 'listBankDetails'] as const,
];

/** Everything that is stored, except the time at which the cached balance was last read from the provider. */
const everything = async (): Promise<string> => {
  const { db, sealer } = world.service.app;
  await byTable(db).updateTable('users').set({ balance_read_at: null }).execute();
  return everythingIn(db, sealer);
};

test.each(readable)('%s leaves every row as it was', async (_what, path, id) => {
  // The balance and the recipients are read once first, so that later reads find them up to date.
  for (const first of ['/me', '/pix/recipients']) await call(world, 'GET', first, { token: ada.token });
  const { path: value = '' } = await successfulRequests(world, ada)[id as OperationId]();
  const before = await everything();
  const address = path.replace(/\{\w+\}/, value);
  for (const method of ['GET', 'HEAD'])
    expect((await call(world, method, address, { token: ada.token })).status).toBe(200);
  expect(await everything()).toBe(before);
});

test('revealing bank details adds to the audit record, and to nothing else', async () => {
  const { db, sealer } = world.service.app;
  const before = await everythingIn(db, sealer, { except: ['audit_events'] });
  const answer = await call(world, 'GET', '/bank-details?reveal=true', { token: ada.token });
  expect([answer.status, answer.text.includes('31926819')]).toEqual([200, true]);
  expect(await everythingIn(db, sealer, { except: ['audit_events'] })).toBe(before);
  // No link can reveal anything for a user, because only the app sends the header that is required.
  expect((await call(world, 'GET', '/bank-details?reveal=true')).status).toBe(401);
});
