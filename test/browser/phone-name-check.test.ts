// The phone asks the bank about the name on the account before a withdrawal, in a browser and against the real service.
import { describe, expect, test } from 'vitest';
import { all } from '../../harness/people/all.ts';
import { browserPath } from '../support/browser.ts';
import { arrivesAt, factsOn, openPhoneAs, press, reads, usePhone, wealthyPerson } from '../support/phone.ts';

// The service accepts only withdrawals that have a match, or a check that the person accepted.
const { world } = usePhone({ env: { WITHDRAW_NAME_CHECK: 'require' } });

/** Opens the confirmation of a withdrawal of £10 to an account with this name. */
async function confirming(name: string, look: { locale?: string } = {}) {
  const { person, sessionToken } = await wealthyPerson(world, '50.00');
  const account = { accountNumber: '12345678', sortCode: '12-34-56' };
  await person.ponte.saveBankDetails({ currency: 'GBP', accountHolderName: name, ...account });
  const opened = await openPhoneAs(world, sessionToken, { route: '/withdraw', ...look });
  const { page } = opened;
  await page.locator('input[name=amount]').fill('10');
  await page.locator('form button').click();
  const withdraws = () => all(person.ponte.withdraws());
  return { ...opened, ponte: person.ponte, withdraws };
}

describe.skipIf(browserPath === null)('the phone before a withdrawal', () => {
  test('offers the name that the bank suggests, and saves the same account under it', async () => {
    const { page, ponte, withdraws, complaints, close } = await confirming('Ada Close');
    await reads(page, 'The bank says the account belongs to Ada Lima');
    await press(page, 'Use this name');
    await reads(page, 'Your bank says that the name is right.');
    expect(await factsOn(page)).toMatchObject({ To: 'Ada Lima' });
    expect(await ponte.bankDetails({ reveal: true })).toMatchObject([
      { accountHolderName: 'Ada Lima', accountNumber: '12345678', sortCode: '12-34-56' },
    ]);
    await press(page, 'Withdraw £10.00');
    await arrivesAt(page, 'Withdrawal');
    expect(await withdraws()).toMatchObject([{ nameCheck: 'match' }]);
    expect(complaints.failed).toEqual([]);
    await close();
  });

  test('lets a person go on with a name that does not match, and asks the bank once', async () => {
    const { page, withdraws, close } = await confirming('Ada Mismatch');
    let checks = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/bank-details/checks')) checks += 1;
    });
    await reads(page, 'Your bank says that this name and this account do not belong together.');
    await press(page, 'Change');
    await press(page, 'Continue');
    await reads(page, 'Your bank says that this name and this account do not belong together.');
    expect(checks).toBeLessThanOrEqual(1);
    await press(page, 'Withdraw £10.00');
    await arrivesAt(page, 'Withdrawal');
    expect(await withdraws()).toMatchObject([{ nameCheck: 'no_match' }]);
    await close();
  });

  test('lets a person go on if the bank does not answer, with the check of the error', async () => {
    const { page, withdraws, complaints, close } = await confirming('Ada Outage');
    await reads(page, 'We could not check the name');
    await press(page, 'Check the name again');
    await reads(page, 'We could not check the name');
    await press(page, 'Withdraw £10.00');
    await arrivesAt(page, 'Withdrawal');
    expect(await withdraws()).toMatchObject([{ nameCheck: 'unavailable' }]);
    expect(new Set(complaints.failed)).toEqual(new Set([`502 POST ${world.url}/bank-details/checks`]));
    await close();
  });

  test('says in Portuguese what the bank says', async () => {
    const { page, ponte, close } = await confirming('Ada Close', { locale: 'pt-BR' });
    await reads(page, 'O banco diz que a conta pertence a Ada Lima');
    await press(page, 'Usar este nome');
    await reads(page, 'Seu banco confirma o nome do titular.');
    expect(await ponte.bankDetails()).toMatchObject([{ accountHolderName: 'Ada Lima' }]);
    await close();
  });
});
