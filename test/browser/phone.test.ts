// The phone in a browser, against the real service, its database and the sandbox: whole journeys.
import { describe, expect, test } from 'vitest';
import { all } from '../../harness/people/all.ts';
import { browserPath } from '../support/browser.ts';
import {
  arrivesAt,
  beginsAt,
  factsOn,
  follow,
  goTo,
  openPhone,
  openPhoneAs,
  pixCode,
  press,
  reads,
  showsStatus,
  tabTo,
  usePhone,
  wealthyPerson,
} from '../support/phone.ts';
import { until } from '../support/until.ts';

// A journey takes seconds, and minutes on a busy machine.
const NO_COMPLAINTS = { console: [], elsewhere: [], failed: [] };

const { world } = usePhone();

describe.skipIf(browserPath === null)('the phone', () => {
  test('a person gets from signing in to closing the account by clicking', async () => {
    const { page, complaints, close } = await openPhone(world);
    await page.getByLabel('E-mail').fill('clicking@example.com');
    await press(page, 'Continue with Google');
    await arrivesAt(page, 'Your currency');
    await press(page, 'Choose pounds');
    await arrivesAt(page, 'Hello, Ada');

    await follow(page, 'Verify my identity');
    await arrivesAt(page, 'Your identity');
    await press(page, 'Verify my identity');
    await page.getByLabel('Full name').fill('Ada Silva');
    await page.getByLabel('E-mail').fill('ada@example.com');
    await press(page, 'Verify me');
    await follow(page, 'Back to the app');
    await reads(page, 'Your account is open');

    await follow(page, 'Add money');
    await press(page, 'Make a deposit');
    await reads(page, 'It has arrived.');
    await follow(page, 'See your balance');
    await reads(page, '£500.00');

    await follow(page, 'Pay');
    await page.getByRole('textbox', { name: 'PIX code' }).fill(pixCode('joana@pix.example', '25.00'));
    await press(page, 'Continue');
    await arrivesAt(page, 'Confirm');
    await reads(page, 'Joana Lima');
    await reads(page, 'R$25.00');
    await reads(page, /^£0\.\d\d \(1 %\)$/);
    await reads(page, 'Rate with our fee');
    await reads(page, /This price holds for \d+ s/);
    await press(page, /^Pay £\d\.\d\d$/);
    await showsStatus(page, 'completed');
    await reads(page, 'End-to-end id');
    expect(await factsOn(page)).toMatchObject({
      Cost: expect.stringMatching(/^£\d\.\d\d$/) as string,
      'Our fee, included': expect.stringMatching(/^£0\.\d\d$/) as string,
      Recipient: 'Joana Lima',
      'Rate with our fee': expect.stringMatching(/^1 GBP = \d\.\d{4} BRL$/) as string,
      'End-to-end id': expect.stringMatching(/^E\w{31}/) as string,
    });

    await follow(page, 'Home');
    await follow(page, 'Withdraw');
    await follow(page, 'Add bank details');
    await press(page, 'Save');
    await reads(page, 'A sort code has six digits.');
    await page.getByLabel('Name on the account').fill('Ada Silva');
    await page.getByLabel('Sort code').fill('123456');
    await page.getByLabel('Account number').fill('12345678');
    await press(page, 'Save');
    await arrivesAt(page, 'Withdraw');
    await reads(page, 'Name and account match');
    await page.getByLabel('Amount').fill('100');
    await press(page, 'Continue');
    await press(page, 'Withdraw £100.00');
    await showsStatus(page, 'completed');
    expect(await factsOn(page)).toMatchObject({
      To: 'Ada Silva',
      Account: '****5678',
    });
    await reads(page, 'Name and account match');

    await follow(page, 'History');
    await arrivesAt(page, 'History');
    await until(
      () => page.locator('.movement').count(),
      (count) => count === 3,
    );
    expect(await page.locator('.movement .what > .strong').allInnerTexts()).toEqual([
      'Ada Silva',
      'Joana Lima',
      'From the phone',
    ]);
    await follow(page, 'Home');
    await arrivesAt(page, 'Hello, Ada');
    await reads(page, 'PIX payment');

    await follow(page, 'Account');
    await follow(page, 'Your data');
    await press(page, 'Send the request');
    await reads(page, 'We have your request');
    await follow(page, 'Back to your account');
    await follow(page, 'Close your account');
    await press(page, 'Close my account');
    await reads(page, 'Please say that you are sure.');
    await page.getByLabel('Yes, close my account for good').check();
    await press(page, 'Close my account');
    await reads(page, 'Close it with the money inside?');
    await press(page, 'Close it anyway');
    await reads(page, 'Your account is closed');
    const refusal = `409 DELETE ${world.url}/me?unlessMoneyIsLeft=true`;
    expect(complaints).toEqual({ ...NO_COMPLAINTS, failed: [refusal] });

    await press(page, 'Done');
    await page.getByLabel('E-mail').fill('clicking@example.com');
    await press(page, 'Continue with Google');
    await reads(page, 'This account has been closed.');
    expect(complaints).toEqual({ ...NO_COMPLAINTS, failed: [refusal, `403 POST ${world.url}/auth/session`] });
    await close();
  });

  test('a person gets from signing in to a payment by the keyboard alone, with the focus always shown', async () => {
    const { page, complaints, close } = await openPhone(world);
    const { keyboard } = page;
    const enter = (): Promise<void> => keyboard.press('Enter');
    await beginsAt(page, 'Ponte');
    await tabTo(page, 'E-mail');
    await keyboard.press('Control+A');
    await keyboard.type('typing@example.com');
    await enter();

    await beginsAt(page, 'Your currency');
    await tabTo(page, /Pounds/);
    await keyboard.press('ArrowDown');
    await tabTo(page, 'Choose euros');
    await enter();
    await beginsAt(page, 'Hello, Ada');
    await tabTo(page, 'Verify my identity');
    await enter();
    await beginsAt(page, 'Your identity');
    await reads(page, 'We have to know who you are');
    await tabTo(page, 'Verify my identity');
    await enter();
    await arrivesAt(page, 'Verify your identity');
    await tabTo(page, 'Full name');
    await keyboard.type('Ada Silva');
    await tabTo(page, 'E-mail');
    await keyboard.type('ada@example.com');
    await enter();
    await arrivesAt(page, 'Thank you');
    await tabTo(page, 'Back to the app');
    await enter();
    await beginsAt(page, 'Your identity');
    await reads(page, 'Your account is open');
    await tabTo(page, 'Add money');
    await enter();
    await beginsAt(page, 'Add money');
    await reads(page, 'IBAN');
    await tabTo(page, 'Make a deposit');
    await enter();
    await reads(page, 'It has arrived.');
    await tabTo(page, 'See your balance');
    await enter();
    await beginsAt(page, 'Hello, Ada');
    await reads(page, '€500.00');

    await tabTo(page, 'Pay');
    await enter();
    await beginsAt(page, 'Pay');
    await tabTo(page, 'PIX code');
    await keyboard.press('ArrowRight');
    await tabTo(page, 'Kind of key');
    await keyboard.type('E-mail');
    await tabTo(page, 'PIX key');
    await keyboard.type('joana@pix.example');
    await enter();
    await beginsAt(page, 'How much?');
    await tabTo(page, 'The recipient gets');
    await keyboard.type('12,50');
    await enter();
    await beginsAt(page, 'Confirm');
    await reads(page, 'R$12.50');
    await reads(page, /This price holds for/);
    await tabTo(page, /^Pay €\d\.\d\d$/);
    await enter();
    await showsStatus(page, 'completed');
    expect(complaints).toEqual(NO_COMPLAINTS);
    await close();
  });

  test('a payment whose page was reloaded before the answer is shown again and paid once', async () => {
    const { person, sessionToken } = await wealthyPerson(world, '100.00');
    const { page, close } = await openPhoneAs(world, sessionToken, { route: '/pay' });
    await page.getByRole('textbox', { name: 'PIX code' }).fill(pixCode('slow@pix.example', '25.00'));
    await press(page, 'Continue');
    // The service executes the request, and its answer never arrives.
    await page.route('**/pix/payments', async (route) => {
      if (route.request().method() === 'POST') await route.fetch();
      else await route.continue();
    });
    await press(page, /^Pay £/);
    await until(
      () => all(person.ponte.payments()),
      ({ length }) => length === 1,
    );
    await reads(page, 'Sending your payment…');
    await page.unroute('**/pix/payments');
    await page.reload();
    await showsStatus(page, 'paying');
    const address = page.url();
    await page.reload();
    await showsStatus(page, 'paying');
    expect(page.url()).toBe(address);
    const [payment, ...others] = await all(person.ponte.payments());
    expect(others).toEqual([]);
    expect(address).toMatch(new RegExp(`/phone/#/payments/${payment?.id}$`));
    // This simulates a reload after the answer and before the new address.
    await goTo(page, '/pay/sending');
    await page.reload();
    await showsStatus(page, 'paying');
    expect(page.url()).toBe(address);
    await close();
  });
});
