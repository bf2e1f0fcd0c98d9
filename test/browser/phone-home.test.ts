// The home screen of the phone: what needs the person, and lines of the history as people read them.
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { all } from '../../harness/people/all.ts';
import { createPerson, passVerification, pay, reaches, signIn } from '../../harness/people/person.ts';
import { browserPath } from '../support/browser.ts';
import {
  arrivesAt,
  follow,
  goTo,
  openPhoneAs,
  pixCode,
  press,
  reads,
  showsStatus,
  usePhone,
  wealthyPerson,
} from '../support/phone.ts';
import { until } from '../support/until.ts';

const { world } = usePhone();

const noteWith = (page: Page, title: string) => page.locator('.needs .note').filter({ hasText: title });

async function unverified(fullName?: string) {
  const person = createPerson(world);
  const { sessionToken } = await signIn(person);
  await person.ponte.updateMe({ homeCurrency: 'EUR' });
  if (fullName !== undefined) {
    await passVerification(person, fullName);
    await until(person.ponte.verification, ({ status }) => status === 'failed');
  }
  return sessionToken;
}

describe.skipIf(browserPath === null)('the home screen', () => {
  test('a failed identity check says why, and is repeated if that makes sense', async () => {
    for (const [fullName, text, link] of [
      ['Unreadable Silva', 'Your document could not be read.', 'Verify again'],
      ['Ada Ineligible', 'Our banking partner cannot open an account for you.', 'What this means'],
    ] as const) {
      const { page, complaints, close } = await openPhoneAs(world, await unverified(fullName));
      const note = noteWith(page, 'We could not verify you');
      await note.getByText(text).waitFor();
      await follow(page, link);
      await arrivesAt(page, 'Your identity');
      expect(complaints.console).toEqual([]);
      await close();
    }
  });

  test('a person without money is not asked for bank details, and a person with money is asked until they are saved', async () => {
    const newcomer = await openPhoneAs(world, await unverified());
    await noteWith(newcomer.page, 'One step to go').waitFor();
    expect(await noteWith(newcomer.page, 'Where should withdrawals go?').count()).toBe(0);
    await newcomer.close();

    const { sessionToken } = await wealthyPerson(world, '20.00');
    const { page, complaints, close } = await openPhoneAs(world, sessionToken);
    await noteWith(page, 'Where should withdrawals go?').waitFor();
    await follow(page, 'Add bank details');
    await page.getByLabel('Name on the account').fill('Ada Silva');
    await page.getByLabel('Sort code').fill('123456');
    await page.getByLabel('Account number').fill('12345678');
    await press(page, 'Save');
    await reads(page, 'Name and account match');
    const read = page.waitForResponse((response) => new URL(response.url()).pathname === '/bank-details');
    await goTo(page, '/');
    await (await read).finished();
    await reads(page, 'Money added');
    expect(await noteWith(page, 'Where should withdrawals go?').count()).toBe(0);
    expect(complaints.console).toEqual([]);
    await close();
  });

  test('payments that did not arrive or are under review are shown with what to do', async () => {
    const { person, sessionToken } = await wealthyPerson(world, '100.00');
    const paid = async (key: string, status: Parameters<typeof reaches>[2]) => {
      const to = { pixKey: `${key}@pix.example`, pixKeyType: 'email', recipientName: 'Joana Lima' } as const;
      const id = await pay(person, 10, to);
      await reaches(person, id, status);
      return id;
    };
    const recoverable = await paid('recover', 'payout_failed');
    await paid('unknown', 'payout_failed');
    await paid('return', 'manual_review');
    await paid('joana', 'completed');
    const { page, complaints, close } = await openPhoneAs(world, sessionToken);
    await noteWith(page, 'Not received: R$10.00 to Joana Lima')
      .getByText('The reais are waiting. You can send them again.')
      .waitFor();
    await noteWith(page, 'No such key: R$10.00 to Joana Lima')
      .getByText('Do not send it again: check the key with the recipient.')
      .waitFor();
    await noteWith(page, 'Returned: R$10.00 to Joana Lima').getByText('You need to do nothing.').waitFor();
    expect(await page.locator('.needs .note').filter({ hasText: 'Joana Lima' }).count()).toBe(3);

    await noteWith(page, 'Not received').getByRole('link').click();
    expect(page.url()).toMatch(new RegExp(`#/payments/${recoverable}$`));
    await press(page, 'Send it again');
    await showsStatus(page, 'completed');
    await follow(page, 'Home');
    await noteWith(page, 'No such key').waitFor();
    expect(await noteWith(page, 'Not received').count()).toBe(0);
    expect(complaints.console).toEqual([]);
    await close();
  });

  test('a price that was left is on the home screen, and the same price can still be confirmed', async () => {
    const { sessionToken } = await wealthyPerson(world, '100.00');
    const { page, complaints, close } = await openPhoneAs(world, sessionToken, { route: '/pay' });
    const quotes: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/pix/quote') && request.method() === 'POST') quotes.push(request.url());
    });
    // The phone's clock stands still, so the price does not run down while a slow machine draws.
    await page.clock.setFixedTime(new Date());
    await page.getByRole('textbox', { name: 'PIX code' }).fill(pixCode('joana@pix.example', '25.00'));
    await press(page, 'Continue');
    await reads(page, /This price holds for/);
    await follow(page, 'Home');
    const note = noteWith(page, 'R$25.00 to Joana Lima');
    await note.getByText(/Its price holds for \d+ s\./).waitFor();
    await follow(page, 'Continue the payment');
    await arrivesAt(page, 'Confirm');
    await reads(page, /This price holds for/);
    expect(quotes).toHaveLength(1);
    await follow(page, 'Cancel');
    await arrivesAt(page, 'Hello, Ada');
    expect(await note.count()).toBe(0);

    await goTo(page, '/pay/confirm');
    await page.getByRole('button', { name: /^Pay £/ }).waitFor();
    await press(page, /^Pay £/);
    await showsStatus(page, 'completed');
    await follow(page, 'Home');
    await reads(page, 'PIX payment arrived');
    expect(await note.count()).toBe(0);
    expect(complaints.console).toEqual([]);
    await close();
  });

  test('a line of the history has a name, a sign, a state in words, and a day as people say it', async () => {
    const { person, sessionToken } = await wealthyPerson(world, '100.00');
    const to = { pixKey: 'fail@pix.example', pixKeyType: 'email', recipientName: 'Joana Lima' } as const;
    await reaches(person, await pay(person, 10, to), 'payout_failed');
    const { page, complaints, close } = await openPhoneAs(world, sessionToken);
    const [newest] = await all(person.ponte.transactions());
    const lines = page.locator('.movement');
    for (const [daysLater, when] of [
      [0, /Today, \d\d:\d\d/],
      [1, /Yesterday, \d\d:\d\d/],
    ] as const) {
      const day = new Date(newest?.createdAt ?? '');
      day.setDate(day.getDate() + daysLater);
      await page.clock.setFixedTime(day);
      await page.reload();
      const line = lines.filter({ hasText: 'Joana Lima' });
      await line.getByText(when).waitFor();
      expect(await line.innerText()).toMatch(/PIX payment · Not received · /);
      expect(await line.locator('.amount').innerText()).toMatch(/^−£\d\.\d\d\s+R\$10\.00$/);
      await lines.filter({ hasText: '+£100.00' }).getByText('Money added').first().waitFor();
    }
    await follow(page, 'History');
    await page.getByRole('heading', { level: 2, name: 'Yesterday' }).waitFor();
    expect(complaints.console).toEqual([]);
    await close();
  });
});
