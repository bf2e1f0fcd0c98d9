import { expect, test } from 'vitest';
import { advanceProviderClock } from '../support/provider-faults.ts';
import {
  createOwner,
  handle,
  readOwner,
  type Schemas,
  startUpstream,
  submitForm,
  until,
  verifiedOwner,
} from './support.ts';
import { useUpstream } from './use-upstream.ts';

const { upstream } = useUpstream();

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

const restart = ({ uuid, external_id }: Schemas['Owner'], attempt: number, on = upstream) =>
  on.post<Schemas['Owner']>(`/v1/accounts/owners/${uuid}/restart/`, { external_id, attempt });

test.each([
  ['Ada Unreadable', 'document_unreadable', 'COMPLETED'],
  ['Ada Expired', 'document_expired', 'COMPLETED'],
  ['Ada Misspelt', 'name_mismatch', 'COMPLETED'],
  ['Ada Ineligible', 'not_eligible', 'FAILED'],
  ['Ada Fail', 'other', 'FAILED'],
])('the verification of %s fails with %s, and its second attempt ends as %s', async (name, code, end) => {
  const failed = await verifiedOwner(upstream, name);
  expect(failed).toMatchObject({ status: 'FAILED', attempt: 1, failure_code: code, verification_url: null });
  const { status, body } = await restart(failed, 2);
  expect(status).toBe(200);
  expect(body).toMatchObject({ status: 'PENDING', attempt: 2, failure_code: null, full_name: null });
  expect(body.updated_at > failed.updated_at).toBe(true);
  await submitForm(body.verification_url ?? '', { full_name: name, email: 'ada@example.com' });
  const ended = await until(
    () => readOwner(upstream, failed.uuid),
    (one) => one.status !== 'PENDING',
  );
  expect(ended).toMatchObject({ status: end, attempt: 2, failure_code: end === 'FAILED' ? code : null });
});

test('an attempt is made once, and only the next one after a failure', async () => {
  const pending = await createOwner(upstream);
  expect(await restart(pending, 2)).toMatchObject({ status: 409, body: { code: 'rejected' } });
  const failed = await verifiedOwner(upstream, 'Ada Fail');
  expect(await restart(failed, 3)).toMatchObject({ status: 400 });
  expect(await restart({ ...failed, external_id: 'another' }, 2)).toMatchObject({
    status: 409,
    body: { code: 'origin_id_conflict' },
  });
  const [first, again] = [await restart(failed, 2), await restart(failed, 2)];
  expect(again).toEqual(first);
  expect(await restart(failed, 3)).toMatchObject({ status: 409, body: { code: 'rejected' } });
  const verified = await verifiedOwner(upstream);
  expect(await restart(verified, 2)).toMatchObject({ status: 409, body: { code: 'rejected' } });
});

test('the page of a failed attempt is gone after a restart', async () => {
  const created = await createOwner(upstream);
  await submitForm(created.verification_url ?? '', { full_name: 'Ada Fail', email: 'ada@example.com' });
  const failed = await until(
    () => readOwner(upstream, created.uuid),
    ({ status }) => status === 'FAILED',
  );
  const { body } = await restart(failed, 2);
  expect((await fetch(created.verification_url ?? '')).status).toBe(404);
  expect((await fetch(body.verification_url ?? '')).status).toBe(200);
});

test('a failed attempt can be approved after another one has begun', async () => {
  const slow = await startUpstream({ settleMs: 600_000 });
  const { uuid, verification_url } = await createOwner(slow);
  await submitForm(verification_url ?? '', { full_name: 'Ann Appeal', email: 'ann@example.com' });
  await advanceProviderClock(slow.url, 600_000);
  const failed = await until(
    () => readOwner(slow, uuid),
    ({ status }) => status === 'FAILED',
  );
  expect((await restart(failed, 2, slow)).body).toMatchObject({ status: 'PENDING', attempt: 2 });
  await advanceProviderClock(slow.url, 3_600_000);
  const approved = await until(
    () => readOwner(slow, uuid),
    ({ status }) => status === 'COMPLETED',
  );
  expect(approved).toMatchObject({ attempt: 1, failure_code: null, level: 'STANDARD' });
  await slow.close();
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
