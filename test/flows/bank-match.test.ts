// Withdrawals and the bank's check of the name: what a withdrawal shows of it, and its refusal if the operator requires a match.
import { expect, test } from 'vitest';
import { byTable } from '../support/by-table.ts';
import { must, type Person, refusalIn, verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';

const { world, proxy, ada } = useWorld({
  proxy: true,
  env: { REQUIRE_BANK_MATCH: 'true' },
  deposit: '500.00',
});

/** The sandbox's answers for words of the holder's name. */
const holders = {
  match: 'Ada Silva',
  close_match: 'Ada Close',
  no_match: 'Ada Mismatch',
  unavailable: 'Ada Unavailable',
};
type Status = keyof typeof holders;

const save = async ({ ponte }: Person, status: Status) =>
  ponte.saveBankDetails({
    currency: 'GBP',
    accountHolderName: holders[status],
    accountNumber: '31926819',
    sortCode: '60-16-13',
  });

/** Saves details whose check has this result, and waits for it. */
async function checked(person: Person, status: Status): Promise<void> {
  await save(person, status);
  await until(
    () => person.ponte.bankDetails(),
    ([row]) => row?.validationStatus === status,
  );
}

const withdraw = ({ api }: Person, amount: number, key?: string) =>
  api.POST('/withdraws', {
    body: { amount },
    ...(key !== undefined && { params: { header: { 'Idempotency-Key': key } } }),
  });

test('a withdrawal to details that do not match is refused, and nothing is reserved', async () => {
  await checked(ada, 'no_match');
  expect(refusalIn(await withdraw(ada, 1_000))).toEqual([409, 'bank_details_mismatch']);
  expect(must(await ada.api.GET('/withdraws'))).toEqual([]);
  expect(await withdrawsOf(ada)).toBe(0);
  await checked(ada, 'match');
  expect(must(await withdraw(ada, 1_000)).bankValidationStatus).toBe('match');
});

test.for(['match', 'close_match', 'unavailable'] as const)(
  'a withdrawal to details whose check is %s is accepted and shows it',
  async (status) => {
    const bea = await verified(world, { deposit: '20.00' });
    await checked(bea, status);
    const made = must(await withdraw(bea, 1_000));
    expect(made.bankValidationStatus).toBe(status);
    const [listed] = must(await bea.api.GET('/withdraws'));
    expect(listed?.bankValidationStatus).toBe(status);
    // Repeated within a minute, it is the same withdrawal.
    const again = await withdraw(bea, 1_000);
    expect([again.response.status, must(again).bankValidationStatus]).toEqual([200, status]);
  },
);

test('a withdrawal before the check has run is accepted, and shows the result of the check later', async () => {
  const bea = await verified(world, { deposit: '20.00' });
  const answered = Promise.withResolvers<void>();
  proxy.spoil({
    operation: 'createBankAccountValidation',
    spoilt: { after: answered.promise },
    forwarded: true,
  });
  await save(bea, 'no_match');
  expect(must(await withdraw(bea, 1_000)).bankValidationStatus).toBeNull();
  answered.resolve();
  await until(
    () => bea.api.GET('/withdraws').then(must),
    ([listed]) => listed?.bankValidationStatus === 'no_match',
  );
});

test('a repetition under its key returns the withdrawal, even if the details do not match any more', async () => {
  const bea = await verified(world, { deposit: '20.00' });
  await checked(bea, 'match');
  const made = must(await withdraw(bea, 1_000, 'one-intention'));
  await checked(bea, 'no_match');
  const again = await withdraw(bea, 1_000, 'one-intention');
  expect([again.response.status, must(again).id]).toEqual([200, made.id]);
  // The checked details were replaced, so nothing is known about them any more.
  expect(must(again).bankValidationStatus).toBeNull();
  expect(refusalIn(await withdraw(bea, 1_000, 'another-intention'))).toEqual([409, 'bank_details_mismatch']);
});

const withdrawsOf = async ({ userId }: Person): Promise<number> =>
  (
    await byTable(world.service.app.db)
      .selectFrom('withdraws')
      .select('id')
      .where('user_id', '=', userId)
      .execute()
  ).length;
