// Reads the provider's own books, to check every claim about money from the other side.
import type { components } from '../../openapi/generated/provider.ts';
import { handleFor } from '../../src/domain/handles.ts';
import { byTable } from './by-table.ts';
import type { Person } from './person.ts';
import type { World } from './world.ts';

type Wire = components['schemas'];

/** Sends a GET to the provider with the service's credentials. */
export async function askUpstream<Reply>({ sandboxUrl }: World, path: string): Promise<Reply> {
  const response = await fetch(`${sandboxUrl}/v1${path}`, {
    headers: {
      authorization: `Basic ${Buffer.from('sandbox:sandbox-password').toString('base64')}`,
      'x-company-id': 'sandbox-company',
    },
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  return response.json() as Promise<Reply>;
}

export const transfersOf = async (world: World, paymentId: string): Promise<Wire['InternalTransfer'][]> =>
  (
    await askUpstream<{ results: Wire['InternalTransfer'][] }>(
      world,
      `/internal_transfers/?origin_id=${handleFor(paymentId, 'conversion-direct')}`,
    )
  ).results;

export const payoutsOf = async (
  world: World,
  id: string,
  purpose: 'payout' | 'withdraw' = 'payout',
): Promise<Wire['Payout'][]> =>
  (await askUpstream<{ results: Wire['Payout'][] }>(world, `/payouts/?origin_id=${handleFor(id, purpose)}`))
    .results;

/** Every movement of one of the user's accounts, oldest first, as `DEBIT PAYOUT 10.00`. */
export async function movementsOf(
  { world, userId }: Person,
  currency: 'GBP' | 'EUR' | 'BRL' | 'USDC',
): Promise<string[]> {
  const account = await accountRefOf(world, userId, currency);
  const { results } = await askUpstream<{ results: Wire['Movement'][] }>(
    world,
    `/accounts/${account}/movements/?limit=1000`,
  );
  return results.map(({ direction, kind, amount }) => `${direction} ${kind} ${amount}`);
}

export async function accountRefOf(
  { service }: World,
  userId: string,
  currency: 'GBP' | 'EUR' | 'BRL' | 'USDC',
): Promise<string> {
  const { provider_account_id: ref } = await byTable(service.app.db)
    .selectFrom('provider_accounts')
    .select('provider_account_id')
    .where('user_id', '=', userId)
    .where('currency', '=', currency)
    .executeTakeFirstOrThrow();
  if (ref === null) throw new Error(`no ${currency} account yet`);
  return ref;
}
