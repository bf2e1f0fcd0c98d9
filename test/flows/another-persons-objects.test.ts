// The provider reports one user's identity, account or movement as another user's. It is not applied to the second user.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { handleFor } from '../../src/domain/handles.ts';
import { byTable } from '../support/by-table.ts';
import { letTimePass } from '../support/outbox.ts';
import {
  balanceOf,
  must,
  type Person,
  passVerification,
  receiveDeposit,
  refusalIn,
  signUp,
  verified,
} from '../support/person.ts';
import { until } from '../support/until.ts';
import { accountRefOf, askUpstream } from '../support/upstream.ts';
import type { WireObject } from '../support/upstream-proxy.ts';
import { useWorld } from '../support/use-world.ts';

const { world, proxy, ada } = useWorld({ proxy: true, deposit: '100.00' });

test('an identity verifies one person only', async () => {
  const bea = await signUp(world);
  const [owner] = await resourcesOf(ada, 'owner');
  const lie = proxy.lie({
    about: handleFor(bea.userId, 'owner'),
    change: (truth) => ({ ...truth, uuid: owner?.provider_ref, status: 'COMPLETED', level: 'BASIC' }),
  });
  expect(refusalIn(await bea.api.POST('/kyc/start'))[0]).toBe(502);
  expect(must(await bea.api.GET('/me')).kyc.status).toBe('pending');
  lie.heal();
  await passVerification(bea);
  expect((await resourcesOf(bea, 'owner'))[0]?.provider_ref).not.toBe(owner?.provider_ref);
});

test('an account holds the money of one person only', async () => {
  const bea = await signUp(world);
  must(await bea.api.PATCH('/me', { body: { homeCurrency: 'GBP' } }));
  const account = await accountRefOf(world, ada.userId, 'GBP');
  const lie = proxy.lie({
    about: handleFor(bea.userId, 'account-GBP'),
    change: (truth) => ({ ...truth, uuid: account, status: 'ACTIVE' }),
  });
  await passVerification(bea);
  await until(
    async () => (await openingsOf(bea)).map(({ last_error: error }) => error),
    (errors) => errors.some((error) => error?.includes('an object of another user')),
  );
  expect(await balanceOf(bea)).toBe(0);
  expect(must(await bea.api.GET('/me')).deposit).toBeNull();
  lie.heal();
  await until(
    async () => {
      await letTimePass(world, 60_000);
      return (await resourcesOf(bea, 'account')).every(({ provider_ref: ref }) => ref !== null);
    },
    (areOpen) => areOpen,
  );
  await receiveDeposit(bea, '7.00');
  expect(await balanceOf(bea)).toBe(700);
  expect(await balanceOf(ada)).toBe(10_000);
});

test('a movement is a deposit of one person only', async () => {
  const bea = await verified(world);
  const [from, to] = [
    await accountRefOf(world, ada.userId, 'GBP'),
    await accountRefOf(world, bea.userId, 'GBP'),
  ];
  const { results } = await askUpstream<{ results: WireObject[] }>(world, `/accounts/${from}/movements/`);
  const movement = { ...results[0], account_uuid: to };
  const lie = proxy.rewrite(({ operation, text }, reply) =>
    operation === 'getMovement' && text.includes(to) ? { status: 200, body: movement } : reply,
  );
  await announce(movement);
  await until(
    () =>
      byTable(world.service.app.db)
        .selectFrom('webhook_events')
        .select('id')
        .where('processed_at', 'is', null)
        .execute(),
    ({ length }) => length === 0,
  );
  lie.heal();
  expect(must(await bea.api.GET('/transactions'))).toEqual([]);
  expect(must(await ada.api.GET('/transactions'))).toHaveLength(1);
});

const resourcesOf = ({ userId }: Person, kind: 'owner' | 'account') =>
  byTable(world.service.app.db)
    .selectFrom('provider_resources')
    .select('provider_ref')
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .execute();

const openingsOf = ({ userId }: Person) =>
  byTable(world.service.app.db)
    .selectFrom('effects')
    .select('last_error')
    .where('user_id', '=', userId)
    .where('type', '=', 'openAccount')
    .execute();

async function announce(data: WireObject): Promise<void> {
  const response = await fetch(`${world.url}/webhooks/provider/${world.webhookSecret}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-request-id': randomUUID() },
    body: JSON.stringify({ event: 'movement.created', data, updated_at: new Date().toISOString() }),
  });
  expect(response.status).toBe(200);
}
