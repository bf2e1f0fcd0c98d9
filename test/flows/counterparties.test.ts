// The other side of each transaction: who was paid, which bank account received a withdrawal, and what a payer wrote.
import { expect, test } from 'vitest';
import { must, type Person, pay, quote, reaches, receiveDeposit, verified } from '../support/person.ts';
import { useWorld } from '../support/use-world.ts';

const { world, ada } = useWorld({ deposit: '500.00' });

const counterpartiesOf = async ({ api }: Person) =>
  must(await api.GET('/transactions')).map(({ type, counterparty }) => [type, counterparty]);

test('a list and a single transaction show the recipient, the own bank account and the payer’s words', async () => {
  await receiveDeposit(ada, '20.00', 'Savings for\nthe trip');
  const named = {
    pixKey: 'Joana.Lima@pix.example',
    pixKeyType: 'email',
    recipientName: 'Joana Lima',
  } as const;
  const payments = [await pay(ada, await quote(ada, 10), named), await pay(ada, await quote(ada, 11))];
  for (const id of payments) await reaches(ada, id, 'completed');
  const account = { accountHolderName: 'Ada Silva', accountNumber: '12345678', sortCode: '12-34-56' };
  await ada.ponte.saveBankDetails({ currency: 'GBP', ...account });
  const withdrawn = await ada.ponte.withdraw(1_000);
  // Details that are saved later do not change where the withdrawal went.
  await ada.ponte.saveBankDetails({ currency: 'GBP', ...account, accountNumber: '87654321' });

  expect(await counterpartiesOf(ada)).toEqual([
    ['withdraw', { name: 'Ada Silva', account: '****5678', reference: null }],
    ['payment', { name: null, account: '529******25', reference: null }],
    ['payment', { name: 'Joana Lima', account: 'j*********@pix.example', reference: null }],
    ['deposit', { name: null, account: null, reference: 'Savings for the trip' }],
    ['deposit', null],
  ]);
  const listed = must(await ada.api.GET('/transactions'));
  for (const one of listed.filter(({ id }) => id !== withdrawn.id)) {
    const { data } = await ada.api.GET('/transactions/{id}', { params: { path: { id: one.id } } });
    expect(data).toEqual(one);
  }
});

test('a withdrawal in euros shows its IBAN masked', async () => {
  const bea = await verified(world, { homeCurrency: 'EUR', deposit: '50.00', fullName: 'Bea Costa' });
  const account = { accountHolderName: 'Bea Costa', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' };
  await bea.ponte.saveBankDetails({ currency: 'EUR', ...account });
  await bea.ponte.withdraw(1_000);
  expect(await counterpartiesOf(bea)).toEqual([
    ['withdraw', { name: 'Bea Costa', account: 'DE89**************3000', reference: null }],
    ['deposit', null],
  ]);
});
