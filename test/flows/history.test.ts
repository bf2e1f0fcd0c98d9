// The history keeps every transition in order, with its cause: the request, the callback or the job.
import { expect, test } from 'vitest';
import { byTable } from '../support/by-table.ts';
import { must, quote, reaches } from '../support/person.ts';
import { useWorld } from '../support/use-world.ts';

const { world, ada } = useWorld({ deposit: '500.00' });

test('the history of a payment leads from its request to its final state', async () => {
  const { quoteId } = await quote(ada, 100);
  const accepted = must(
    await ada.api.POST('/pix/payments', {
      body: { quoteId, pixKey: '52998224725', pixKeyType: 'cpf' },
      headers: { 'X-Request-Id': 'story-of-one-payment' },
    }),
  );
  await reaches(ada, accepted.pixPaymentId, 'completed');
  const history = await transitionsOf(accepted.pixPaymentId);
  expect(history.map(({ seq, from_state, event, to_state }) => [seq, from_state, event, to_state])).toEqual([
    [1, null, 'begun', 'quoted'],
    [2, 'quoted', 'confirmed', 'converting.direct'],
    [3, 'converting.direct', 'direct.completed', 'paying'],
    [4, 'paying', 'off-ramp.completed', 'completed'],
  ]);
  // The cause is the service's own request id, not the one that the client made up.
  const byRequest = { cause_kind: 'request', cause_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string };
  expect(history.slice(0, 2)).toMatchObject([byRequest, byRequest]);
  expect(history[0]?.cause_id).toBe(history[1]?.cause_id);
  expect(history.slice(2).map(({ cause_kind: kind }) => kind)).not.toContain('request');
});

test('every transition of every kind names a cause that exists', async () => {
  const { db } = world.service.app;
  const transitions = await byTable(db).selectFrom('transitions').selectAll().execute();
  expect(new Set(transitions.map(({ subject_kind: kind }) => kind))).toEqual(
    new Set(['kyc', 'provider_account', 'pix_payment']),
  );
  const [events, effects] = [await idsIn('webhook_events'), await idsIn('effects')];
  const isKnown = {
    webhook: (id: string) => events.includes(id),
    job: (id: string) => effects.includes(id) || /^check:[0-9a-f-]{36}$/.test(id),
    request: (id: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id),
    operator: () => false,
  };
  const unknown = transitions.filter(({ cause_kind: kind, cause_id: id }) => !isKnown[kind](id));
  expect(unknown).toEqual([]);
});

const transitionsOf = (subjectId: string) =>
  byTable(world.service.app.db)
    .selectFrom('transitions')
    .selectAll()
    .where('subject_id', '=', subjectId)
    .orderBy('seq')
    .execute();

const idsIn = async (table: 'webhook_events' | 'effects'): Promise<string[]> =>
  (await byTable(world.service.app.db).selectFrom(table).select('id').execute()).map(({ id }) => id);
