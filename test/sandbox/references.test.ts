// How movements name the conversion or payout that caused them: by its handle, by its uuid, or not at all.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { optionsFrom } from '../../sandbox/options.ts';
import { orderFault } from '../support/provider-faults.ts';
import { injectFaults, stopFaults } from './fault-injection-support.ts';
import {
  convert,
  fundedWallet,
  type Listener,
  listen,
  payoutBecomes,
  pixBody,
  type Schemas,
  startUpstream,
  type Upstream,
  until,
} from './support.ts';
import { useUpstream } from './use-upstream.ts';

const { upstream } = useUpstream();
let listener: Listener;
beforeAll(async () => {
  listener = await listen();
});
afterAll(() => listener.close());
afterEach(() => stopFaults(upstream));

/** How the movements of a failed payout name it, oldest first. */
async function names(at: Upstream): Promise<string[]> {
  const wallet = await fundedWallet(at);
  const transfer = await convert(at, wallet, '20.00');
  const body = pixBody(wallet, '20.00', 'fail@pix.example');
  const { uuid } = (await at.post<Schemas['Payout']>('/v1/payouts/', body)).body;
  await payoutBecomes(at, uuid, 'FAILED');
  const path = `/v1/accounts/${wallet.brl.uuid}/movements/`;
  const { results } = (await at.get<Schemas['MovementPage']>(path)).body;
  const namings = new Map<string | null, string>([
    [body.origin_id, 'handle'],
    [uuid, 'uuid'],
    [transfer.origin_id, 'handle'],
    [transfer.uuid, 'uuid'],
    [null, 'nothing'],
  ]);
  return results.map(({ source_reference: reference }) => namings.get(reference) ?? 'something else');
}

test.each(['handle', 'uuid', 'nothing'] as const)(
  'every movement has the configured name: %s',
  async (name) => {
    const other = await startUpstream({ references: name });
    expect(await names(other)).toEqual([name, name, name]);
    await other.close();
  },
);

test('mixed names are chosen for each movement, and are the same in another run with the same calls', async () => {
  const runs: string[][] = [];
  for (let run = 0; run < 2; run++) {
    const other = await startUpstream({ references: 'mixed' });
    runs.push([await names(other), await names(other), await names(other)].flat());
    await other.close();
  }
  expect(new Set(runs[0])).toEqual(new Set(['handle', 'uuid', 'nothing']));
  expect(runs[1]).toEqual(runs[0]);
});

test('a requested fault changes the names of one payout, and a movement keeps its name', async () => {
  await orderFault(upstream.url, {
    operation: 'createPayout',
    fault: 'otherReferences',
    details: { references: 'nothing' },
  });
  expect(await names(upstream)).toEqual(['handle', 'nothing', 'nothing']);
  expect(await names(upstream)).toEqual(['handle', 'handle', 'handle']);
});

test('random faults name conversions and payouts in all other ways', async () => {
  await injectFaults(upstream, { seed: 3, provider: { otherReferences: 1 } });
  const seen = new Set<string>();
  for (let nth = 0; nth < 4; nth++) for (const name of await names(upstream)) seen.add(name);
  expect(seen).toContain('uuid');
  expect(seen).toContain('nothing');
});

test('a callback and the movement by its uuid have the same name as the list', async () => {
  const other = await startUpstream({ references: 'uuid' });
  const wallet = await fundedWallet(other, 'GBP', listener.url);
  const transfer = await convert(other, wallet, '20.00');
  const path = `/v1/accounts/${wallet.brl.uuid}/movements/`;
  const [listed] = (await other.get<Schemas['MovementPage']>(path)).body.results;
  expect(listed?.source_reference).toBe(transfer.uuid);
  expect((await other.get<Schemas['Movement']>(`${path}${listed?.uuid}/`)).body).toEqual(listed);
  const [callback] = await until(
    () => listener.received.filter(({ data }) => data['uuid'] === listed?.uuid),
    ({ length }) => length > 0,
  );
  expect(callback?.data).toEqual(listed);
  await other.close();
});

test('the setting is one of four words', () => {
  expect(optionsFrom({}).references).toBe('handle');
  expect(optionsFrom({ SANDBOX_REFERENCES: 'mixed' }).references).toBe('mixed');
  expect(() => optionsFrom({ SANDBOX_REFERENCES: 'ours' })).toThrow(/handle, uuid, nothing, mixed/);
});
