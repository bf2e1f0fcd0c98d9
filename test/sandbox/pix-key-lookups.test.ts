// Look-ups of PIX keys, their magic values, and payouts that name them.
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { createOwner, payoutBecomes, pixBody, type Schemas } from './support.ts';
import { useUpstream } from './use-upstream.ts';

const { upstream, wallet } = useUpstream({ wallet: 'shared', brl: '1000.00' });
let owner: string;
beforeAll(async () => {
  owner = (await createOwner(upstream)).uuid;
});

type Lookup = Schemas['PixKeyLookup'];
const lookUp = (pix_key: string, pix_key_type = 'email', owner_uuid = owner) =>
  upstream.post<Lookup>('/v1/pix_key_lookups/', { owner_uuid, pix_key, pix_key_type });

test('a look-up names the owner of a key with a masked tax number', async () => {
  const { status, body } = await lookUp('joana@pix.example');
  expect([status, body]).toEqual([
    200,
    {
      uuid: expect.any(String) as string,
      status: 'FOUND',
      pix_key: 'joana@pix.example',
      pix_key_type: 'email',
      recipient_name: 'Joana Lima',
      recipient_tax_id: '***.982.247-**',
      institution_name: 'Banco Estrela',
      expires_at: expect.any(String) as string,
    },
  ]);
});

test('every key has the same owner each time, and a CPF shows its own digits', async () => {
  const [first, again] = [await lookUp('somebody@pix.example'), await lookUp('somebody@pix.example')];
  expect(first.body.recipient_name).toBe(again.body.recipient_name);
  expect(first.body.uuid).not.toBe(again.body.uuid);
  expect((await lookUp('11144477735', 'cpf')).body.recipient_tax_id).toBe('***.444.777-**');
  expect((await lookUp('11222333000181', 'cnpj')).body.recipient_name).toMatch(/ Ltda\.$/);
});

test('a look-up of an unknown key is UNKNOWN, and names nobody', async () => {
  expect(await lookUp('unknown@pix.example')).toMatchObject({
    status: 200,
    body: {
      status: 'UNKNOWN',
      pix_key: 'unknown@pix.example',
      pix_key_type: null,
      recipient_name: null,
      recipient_tax_id: null,
      institution_name: null,
      expires_at: null,
    },
  });
});

test('a look-up can be unavailable, and needs an owner', async () => {
  expect(await lookUp('unavailable@pix.example')).toMatchObject({
    status: 503,
    body: { code: 'unavailable' },
  });
  expect(await lookUp('joana@pix.example', 'email', randomUUID())).toMatchObject({
    status: 400,
    body: { code: 'invalid_request' },
  });
});

test('a payout gives back the look-up that it names, and an unknown one does not refuse it', async () => {
  const { uuid } = (await lookUp('joana@pix.example')).body;
  for (const lookup_uuid of [uuid, randomUUID()]) {
    const { status, body } = await upstream.post<Schemas['Payout']>('/v1/payouts/', {
      ...pixBody(wallet, '1.00'),
      lookup_uuid,
    });
    expect([status, body.lookup_uuid]).toEqual([201, lookup_uuid]);
    await payoutBecomes(upstream, body.uuid, 'COMPLETED');
    const page = await (await fetch(`${upstream.url}/console/payouts/${body.uuid}`)).text();
    expect(page.includes('Joana Lima')).toBe(lookup_uuid === uuid);
  }
});

test('the console shows the recipients that a user has looked up', async () => {
  await lookUp('padaria@pix.example');
  const page = await (await fetch(`${upstream.url}/console/owners/${owner}`)).text();
  expect(page).toContain('Recipients looked up');
  expect(page).toContain('Padaria Estrela Ltda.');
});
