import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createOwner,
  handle,
  readOwner,
  type Schemas,
  startUpstream,
  submitForm,
  type Upstream,
  until,
  verifiedOwner,
} from './support.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

test('an owner is verified on a page that a person can fill in', async () => {
  const owner = await createOwner(upstream);
  expect(owner).toMatchObject({ status: 'PENDING', level: null, full_name: null, completed_at: null });
  const shown = await fetch(owner.verification_url ?? '');
  expect(await shown.text()).toContain('name="full_name"');

  const sent = await submitForm(owner.verification_url ?? '', {
    full_name: 'Ada <b>',
    email: 'ada@example.com',
  });
  expect(sent).toMatchObject({ status: 200, text: expect.stringContaining('Thank you') });
  const verified = await until(
    () => readOwner(upstream, owner.uuid),
    ({ status }) => status === 'COMPLETED',
  );
  expect(verified).toMatchObject({
    level: 'STANDARD',
    full_name: 'Ada <b>',
    email: 'ada@example.com',
    verification_url: null,
  });
  expect(verified.updated_at > owner.updated_at).toBe(true);
});

test.each([
  ['Eva Fail', 'FAILED', null],
  ['Failla Rossi', 'COMPLETED', 'STANDARD'],
])('the verification of an owner named %s ends as %s', async (name, status, level) => {
  expect(await verifiedOwner(upstream, name)).toMatchObject({ status, level });
});

test('a failed owner can be verified later', async () => {
  const { uuid } = await verifiedOwner(upstream, 'Ann Appeal');
  const completed = await until(
    () => readOwner(upstream, uuid),
    ({ status }) => status === 'COMPLETED',
  );
  expect(completed.level).toBe('STANDARD');
});

test('a slow verification stays pending, and accepts only one form', async () => {
  const { uuid, verification_url } = await createOwner(upstream);
  await submitForm(verification_url ?? '', { full_name: 'Sam Slow', email: 's@example.com' });
  await submitForm(verification_url ?? '', { full_name: 'Sam Quick', email: 's@example.com' });
  expect(await readOwner(upstream, uuid)).toMatchObject({ status: 'PENDING', full_name: 'Sam Slow' });
});

test('an incomplete form is shown again', async () => {
  const { verification_url } = await createOwner(upstream);
  expect(await submitForm(verification_url ?? '', { full_name: '', email: 'nobody' })).toMatchObject({
    status: 400,
  });
  expect((await fetch(`${upstream.url}/verify/unknown`)).status).toBe(404);
});

test.each([
  ['/phone/', '/phone/'],
  ['/phone/#/verify', '/phone/#/verify'],
  ['https://elsewhere.example/', null],
  ['//elsewhere.example/phone/', null],
  ['/phone/..//elsewhere.example', null],
  ['javascript:alert(1)', null],
])('the link back of a verification with return_to=%s is %s', async (returnTo, link) => {
  const { verification_url } = await createOwner(upstream);
  const address = `${verification_url}?return_to=${encodeURIComponent(returnTo)}`;
  const body = new URLSearchParams({ full_name: 'Ada Silva', email: 'ada@example.com' });
  for (const init of [{ method: 'POST', body }, {}]) {
    const page = await (await fetch(address, init)).text();
    expect(/<a href="([^"]*)"/.exec(page)?.[1] ?? null).toBe(link);
  }
});

test('creating an owner again answers 200 with a new address of the hosted page', async () => {
  const body = { external_id: handle('owner'), mode: 'hosted', callback_url: 'http://localhost:1/a' };
  const first = await upstream.post<Schemas['Owner']>('/v1/accounts/owners/', body);
  const again = await upstream.post<Schemas['Owner']>('/v1/accounts/owners/', {
    ...body,
    callback_url: 'http://localhost:1/b',
  });
  expect([first.status, again.status]).toEqual([201, 200]);
  expect(again.body.uuid).toBe(first.body.uuid);
  expect(again.body.verification_url).not.toBe(first.body.verification_url);
  expect((await fetch(first.body.verification_url ?? '')).status).toBe(200);
});

test('an owner is found by its handle, and an unknown handle finds none', async () => {
  const { uuid, external_id } = await createOwner(upstream);
  const found = await upstream.get<Schemas['OwnerPage']>(`/v1/accounts/owners/?external_id=${external_id}`);
  expect(found.body.results.map((owner) => owner.uuid)).toEqual([uuid]);
  const none = await upstream.get<Schemas['OwnerPage']>('/v1/accounts/owners/?external_id=nobody');
  expect(none).toMatchObject({ status: 200, body: { results: [] } });
});

test('an owner accepts another callback address', async () => {
  const { uuid, updated_at } = await createOwner(upstream);
  const path = `/v1/accounts/owners/${uuid}/`;
  const changed = await upstream.patch<Schemas['Owner']>(path, { callback_url: 'http://localhost:1/c' });
  expect(changed.status).toBe(200);
  expect(changed.body.updated_at > updated_at).toBe(true);
});
