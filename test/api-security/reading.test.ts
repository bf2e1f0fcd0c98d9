// A GET request only reads: a link, an image or a preview that another page loads changes nothing.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { byTable } from '../support/by-table.ts';
import { everythingIn } from '../support/dump.ts';
import { call } from '../support/http.ts';
import { must, type Person, pay, quote, reaches, verified } from '../support/person.ts';
import { startWatchedService } from '../support/watched-service.ts';
import { startWorld, type World } from '../support/world.ts';
import { methodsOf, pathsOfContract } from './contract.ts';

let world: World;
let ada: Person;
let payment: { id: string; transactionId: string };

beforeAll(async () => {
  world = await startWorld();
  ada = await verified(world, { deposit: '100.00' });
  const [accountNumber, sortCode] = ['31926819', '60-16-13'];
  const bank = { currency: 'GBP', accountHolderName: 'Ada Silva', accountNumber, sortCode } as const;
  must(await ada.api.POST('/bank-details', { body: bank }));
  payment = await reaches(ada, await pay(ada, await quote(ada, 5)), 'completed');
  // The worker writes on its own, so from here on only an API runs.
  await world.service.stop();
  world = { ...world, service: await startWatchedService({ ...world.env, ROLE: 'api' }, world.clock) };
});
afterAll(() => world.stop());

const idsFor: Record<string, () => string> = {
  '/transactions/{id}': () => payment.transactionId,
  '/pix/payments/{id}': () => payment.id,
};
const readable = pathsOfContract
  .filter((path) => methodsOf(path).includes('GET'))
  .map((path) => [path, path] as const);

/** Everything that is stored, except the time at which the cached balance was last read from the provider. */
const everything = async (): Promise<string> => {
  const { db, sealer } = world.service.app;
  await byTable(db).updateTable('users').set({ balance_read_at: null }).execute();
  return everythingIn(db, sealer);
};

test.each([...readable, ['/bank-details, to reveal nothing', '/bank-details?reveal=false'] as const])(
  '%s leaves every row as it was',
  async (_what, path) => {
    // The balance is read once first, so that later reads find it unchanged.
    await call(world, 'GET', '/me', { token: ada.token });
    const before = await everything();
    const address = path.replace('{id}', idsFor[path]?.() ?? '');
    for (const method of ['GET', 'HEAD'])
      expect((await call(world, method, address, { token: ada.token })).status).toBe(200);
    expect(await everything()).toBe(before);
  },
);

test('revealing bank details adds to the audit record, and to nothing else', async () => {
  const { db, sealer } = world.service.app;
  const before = await everythingIn(db, sealer, { except: ['audit_events'] });
  const answer = await call(world, 'GET', '/bank-details?reveal=true', { token: ada.token });
  expect([answer.status, answer.text.includes('31926819')]).toEqual([200, true]);
  expect(await everythingIn(db, sealer, { except: ['audit_events'] })).toBe(before);
  // No link can reveal anything for a user, because only the app sends the header that is required.
  expect((await call(world, 'GET', '/bank-details?reveal=true')).status).toBe(401);
});
