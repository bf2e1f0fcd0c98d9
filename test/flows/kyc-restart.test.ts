// A failed verification is tried again: at most one attempt at a time, whatever the provider answers, reports or lacks.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { fillInHostedPage } from '../../harness/people/sandbox.ts';
import { handleFor } from '../../src/domain/handles.ts';
import { byTable } from '../support/by-table.ts';
import { errorExamples } from '../support/error-examples.ts';
import { must, type Person, passVerification, quote, refusalIn, signUp } from '../support/person.ts';
import { until } from '../support/until.ts';
import { askUpstream } from '../support/upstream.ts';
import type { WireObject } from '../support/upstream-proxy.ts';
import { useWorld } from '../support/use-world.ts';

const { world, proxy, ada: verifiedPerson } = useWorld({ proxy: true, verified: true });

const LATER = '2036-01-01T00:00:00.000Z';

test('a failed verification shows its reason, and passes at the second attempt on a new page', async () => {
  const ada = await signUp(world);
  const formerPage = must(await ada.api.POST('/kyc/start', {})).verificationUrl;
  await fillInHostedPage(ada, String(formerPage), { fullName: 'Ada Unreadable' });
  const failed = await becomes(ada, 'failed');
  expect(failed).toMatchObject({ failureCode: 'document_unreadable', startedAt: expect.any(String) });

  const { verificationUrl, status, expiresAt } = must(await restart(ada));
  expect([status, Date.parse(String(expiresAt)) > Date.now()]).toEqual(['pending', true]);
  expect(verificationUrl).not.toBe(formerPage);
  expect((await fetch(String(formerPage))).status).toBe(404);
  expect(await statusOf(ada)).toEqual({ ...failed, status: 'pending', failureCode: null });

  await fillInHostedPage(ada, String(verificationUrl), { fullName: 'Ada Unreadable' });
  expect(await becomes(ada, 'completed')).toMatchObject({ level: 'standard', failureCode: null });
  expect(await eventsOf(ada)).toEqual([
    'begun {}',
    'kyc.failed {"attempt":1,"failureCode":"document_unreadable"}',
    'kyc.restarted {"attempt":2}',
    'kyc.completed {"level":"standard"}',
  ]);
});

test('a verification that fails again can be tried a third time', async () => {
  const eve = await refused('Eve Ineligible');
  const { verificationUrl } = must(await restart(eve));
  await fillInHostedPage(eve, String(verificationUrl), { fullName: 'Eve Ineligible' });
  expect(await becomes(eve, 'failed')).toMatchObject({ failureCode: 'not_eligible' });
  expect(must(await restart(eve))).toMatchObject({ status: 'pending' });
  expect(await ownerOf(eve)).toMatchObject({ status: 'PENDING', attempt: 3, failure_code: null });
});

test('a restart whose answer was lost is repeated, and begins one attempt', async () => {
  const ada = await refused();
  const lost = proxy.spoil({
    operation: 'restartOwner',
    spoilt: 'drop',
    forwarded: true,
    about: handleOf(ada),
  });
  expect(refusalIn(await restart(ada))).toEqual([502, 'provider_unavailable']);
  expect(lost.hits()).toBe(1);
  expect(await ownerOf(ada)).toMatchObject({ status: 'PENDING', attempt: 2 });

  expect(must(await restart(ada))).toMatchObject({ status: 'pending' });
  const { verificationUrl } = must(await restart(ada));
  expect((await fetch(String(verificationUrl))).status).toBe(200);
  expect(await ownerOf(ada)).toMatchObject({ status: 'PENDING', attempt: 2 });
  expect(await restartsOf(ada)).toBe(1);
});

test('a restart whose answer was lost is found by a poll', async () => {
  const ada = await refused();
  await stopPolls(ada);
  const about = handleOf(ada);
  proxy.spoil({ operation: 'restartOwner', spoilt: 'drop', forwarded: true, about });
  expect(refusalIn(await restart(ada))).toEqual([502, 'provider_unavailable']);
  expect((await resourceOf(ada)).next_poll_at).not.toBeNull();
  await pollNow(ada);
  await becomes(ada, 'pending');
  expect(await restartsOf(ada)).toBe(1);
  expect(must(await restart(ada))).toMatchObject({ status: 'pending' });
  expect(await ownerOf(ada)).toMatchObject({ attempt: 2 });
});

test('concurrent restarts begin one attempt, and each returns a page', async () => {
  const ada = await refused();
  const pages = await Promise.all(Array.from({ length: 5 }, () => restart(ada)));
  for (const page of pages) {
    const { status, verificationUrl } = must(page);
    expect([status, (await fetch(String(verificationUrl))).status]).toEqual(['pending', 200]);
  }
  expect(await ownerOf(ada)).toMatchObject({ status: 'PENDING', attempt: 2 });
  expect(await restartsOf(ada)).toBe(1);
});

test('a late report that the first attempt failed changes nothing after a restart', async () => {
  const ada = await refused();
  const { verificationUrl } = must(await restart(ada));
  const lie = reports(ada, { status: 'FAILED', attempt: 1, failure_code: 'other' });
  expect(await statusOf(ada)).toMatchObject({ status: 'pending', failureCode: null });
  expect(lie.hits()).toBeGreaterThan(0);
  lie.heal();
  expect(await restartsOf(ada)).toBe(1);
  expect((await eventsOf(ada)).at(-1)).toBe('kyc.restarted {"attempt":2}');
  expect(await discrepanciesOf(ada)).toEqual([]);

  await fillInHostedPage(ada, String(verificationUrl), {});
  await becomes(ada, 'completed');
});

test('a late report that the first attempt was approved completes the verification after a restart', async () => {
  const ada = await refused();
  must(await restart(ada));
  const approved = { status: 'COMPLETED', level: 'STANDARD', completed_at: LATER, verification_url: null };
  const lie = reports(ada, { ...approved, attempt: 1 });
  expect(await becomes(ada, 'completed')).toMatchObject({ level: 'standard', failureCode: null });
  lie.heal();
  expect(await discrepanciesOf(ada)).toEqual([]);
  expect(refusalIn(await restart(ada))).toEqual([409, 'not_restartable']);
});

test('a second attempt that the provider reopens is pending again', async () => {
  const eve = await refused('Eve Ineligible');
  const { verificationUrl } = must(await restart(eve));
  await fillInHostedPage(eve, String(verificationUrl), { fullName: 'Eve Ineligible' });
  await becomes(eve, 'failed');
  const lie = reports(eve, { status: 'PENDING', attempt: 2, failure_code: null });
  await pollNow(eve);
  expect(await becomes(eve, 'pending')).toMatchObject({ failureCode: null });
  lie.heal();
  expect(await discrepanciesOf(eve)).toEqual([]);
});

test('a restart of a verification that the provider has approved meanwhile completes it', async () => {
  const ada = await refused();
  await stopPolls(ada);
  const { uuid } = await ownerOf(ada);
  const response = await fetch(`${world.sandboxUrl}/sandbox/owners/${uuid}/complete`, { method: 'POST' });
  expect(response.status).toBe(200);
  expect(must(await restart(ada))).toEqual({ status: 'completed', verificationUrl: null, expiresAt: null });
  expect(await statusOf(ada)).toMatchObject({ status: 'completed', level: 'standard' });
});

test.for([
  { status: 404, code: 'not_found' },
  { status: 405, code: 'method_not_allowed' },
  { status: 501, code: 'not_implemented' },
  { status: 409, code: 'rejected' },
])(
  'a restart that the provider answers with $status $code is refused, and the verification stays failed',
  async (spoilt) => {
    const ada = await refused();
    const about = handleOf(ada);
    const lacking = proxy.spoil({ operation: 'restartOwner', spoilt, forwarded: false, about, times: 2 });
    for (const answer of [await restart(ada), await restart(ada)]) {
      expect(refusalIn(answer)).toEqual([409, 'not_restartable']);
      expect(answer.error).toMatchObject({ details: exampleOf('not_restartable') });
    }
    expect(lacking.hits()).toBe(2);
    expect(await statusOf(ada)).toMatchObject({ status: 'failed', failureCode: 'other' });
    expect(must(await restart(ada))).toMatchObject({ status: 'pending' });
  },
);

test('a restart is answered with 502 if the provider knows neither the path nor the owner', async () => {
  const ada = await refused();
  const { uuid } = await ownerOf(ada);
  const spoilt = { status: 404, code: 'not_found' };
  const unknown = proxy.spoil({ operation: 'getOwner', spoilt, forwarded: false, about: uuid, times: 1_000 });
  proxy.spoil({ operation: 'restartOwner', spoilt, forwarded: false, about: uuid });
  expect(refusalIn(await restart(ada))).toEqual([502, 'provider_unavailable']);
  unknown.heal();
  expect(must(await restart(ada))).toMatchObject({ status: 'pending' });
});

test('only a failed verification can be tried again', async () => {
  const bob = await signUp(world);
  expect(await refusalOfRestart(bob)).toEqual([409, 'not_restartable', '/verification not started']);
  must(await bob.api.POST('/kyc/start', {}));
  expect(await refusalOfRestart(bob)).toEqual([409, 'not_restartable', '/verification pending']);
  expect(await refusalOfRestart(verifiedPerson)).toEqual([409, 'not_restartable', '/verification completed']);
});

test('a restart begins the polls of the verification again', async () => {
  const ada = await refused();
  await stopPolls(ada);
  must(await restart(ada));
  const { next_poll_at, poll_count } = await resourceOf(ada);
  expect(next_poll_at).not.toBeNull();
  expect(poll_count).toBeLessThan(MANY_POLLS);
});

test('payments and withdrawals without a verification say which step is missing', async () => {
  const bob = await signUp(world);
  must(await bob.api.PATCH('/me', { body: { homeCurrency: 'GBP' } }));
  await bob.ponte.saveBankDetails({
    currency: 'GBP',
    accountHolderName: 'Bob Silva',
    accountNumber: '12345678',
    sortCode: '12-34-56',
  });
  const isMissing = async (path: string, message: string) => {
    const { quoteId } = await quote(bob, 20);
    const key = { pixKey: '52998224725', pixKeyType: 'cpf' } as const;
    const answers = [
      await bob.api.POST('/withdraws', { body: { amount: 100 } }),
      await bob.api.POST('/pix/payments', { body: { quoteId, ...key } }),
    ];
    for (const answer of answers) {
      expect(refusalIn(answer)).toEqual([409, 'account_not_active']);
      expect(answer.error).toMatchObject({ details: [{ path, message }] });
    }
    return answers[0]?.error;
  };
  await isMissing('/verification', 'not started');
  must(await bob.api.POST('/kyc/start', {}));
  await isMissing('/verification', 'pending');
  await passVerification(bob, 'Bob Misspelt');
  expect(await becomes(bob, 'failed')).toMatchObject({ failureCode: 'name_mismatch' });
  expect(await isMissing('/verification', 'failed')).toMatchObject({
    details: exampleOf('account_not_active'),
  });

  const spoilt = { status: 503, code: 'unavailable' };
  const closed = proxy.spoil({ operation: 'createAccount', spoilt, forwarded: false, times: 1_000 });
  const { verificationUrl } = must(await restart(bob));
  await fillInHostedPage(bob, String(verificationUrl), { fullName: 'Bob Silva' });
  await becomes(bob, 'completed');
  await isMissing('/account', 'not active');
  closed.heal();
});

const restart = ({ api }: Person) => api.POST('/kyc/restart', {});
const statusOf = async ({ api }: Person) => must(await api.GET('/kyc/status'));
const becomes = (person: Person, expected: string) =>
  until(
    () => statusOf(person),
    ({ status }) => status === expected,
  );

async function refusalOfRestart(person: Person): Promise<unknown[]> {
  const answer = await restart(person);
  const { details = [] } = answer.error as { details?: { path: string; message: string }[] };
  return [...refusalIn(answer), ...details.map(({ path, message }) => `${path} ${message}`)];
}

/** A user whose verification has failed. */
async function refused(fullName = 'Ada Fail'): Promise<Person> {
  const person = await signUp(world);
  await passVerification(person, fullName);
  await becomes(person, 'failed');
  return person;
}

const handleOf = ({ userId }: Person): string => handleFor(userId, 'owner');

type Owner = { uuid: string; status: string; attempt: number; failure_code: string | null };

const ownerOf = async (person: Person): Promise<Owner> => {
  const found = await askUpstream<{ results: [Owner] }>(
    world,
    `/accounts/owners/?external_id=${handleOf(person)}`,
  );
  return found.results[0];
};

/** Makes the provider report these fields of the owner, at a later time than anything it has reported. */
const reports = (person: Person, fields: WireObject) =>
  proxy.lie({ about: handleOf(person), change: (truth) => ({ ...truth, ...fields, updated_at: LATER }) });

const eventsOf = async ({ userId }: Person): Promise<string[]> => {
  const rows = await byTable(world.service.app.db)
    .selectFrom('transitions')
    .select(['event', 'event_data'])
    .where('subject_id', '=', userId)
    .orderBy('seq')
    .execute();
  return rows.map(({ event, event_data }) => `${event} ${JSON.stringify(event_data)}`);
};

const restartsOf = async (person: Person): Promise<number> =>
  (await eventsOf(person)).filter((event) => event.startsWith('kyc.restarted')).length;

const discrepanciesOf = ({ userId }: Person) =>
  byTable(world.service.app.db)
    .selectFrom('discrepancies')
    .select(['kind', 'event'])
    .where('user_id', '=', userId)
    .execute();

const resourceOf = (person: Person) =>
  byTable(world.service.app.db)
    .selectFrom('provider_resources')
    .select(['next_poll_at', 'poll_count', 'leased_by'])
    .where('handle', '=', handleOf(person))
    .executeTakeFirstOrThrow();

const pollNow = (person: Person) =>
  sql`update provider_resources set next_poll_at = now() where handle = ${handleOf(person)}`.execute(
    world.service.app.db,
  );

const MANY_POLLS = 30;

/** Ends the polls of a verification, as if it had been polled for a day. */
async function stopPolls(person: Person): Promise<void> {
  const stop = byTable(world.service.app.db)
    .updateTable('provider_resources')
    .set({ next_poll_at: null, poll_count: MANY_POLLS })
    .where('handle', '=', handleOf(person));
  await until(
    async () => {
      await stop.execute();
      return resourceOf(person);
    },
    ({ leased_by }) => leased_by === null,
  );
}

/** The details that the contract's examples of a refusal show. */
const exampleOf = (code: string) => errorExamples.find(({ shown }) => shown.code === code)?.shown.details;
