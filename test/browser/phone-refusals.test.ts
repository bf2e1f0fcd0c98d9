// The phone when something is refused, fails, or is unknown to it.
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { all } from '../../harness/people/all.ts';
import { createPerson, depositInstructions, passVerification, signIn } from '../../harness/people/person.ts';
import { sendMoney } from '../../harness/people/sandbox.ts';
import { browserPath } from '../support/browser.ts';
import {
  arrivesAt,
  factsOn,
  follow,
  goTo,
  keep,
  openPhoneAs,
  pixCode,
  press,
  reads,
  showsStatus,
  usePhone,
  wealthyPerson,
} from '../support/phone.ts';
import { until } from '../support/until.ts';

const { world, person, open } = usePhone({ deposit: '100.00' });

async function enterCode(page: Page, code: string): Promise<void> {
  await page.getByRole('textbox', { name: 'PIX code' }).fill(code);
  await press(page, 'Continue');
}

/** Answers the next request to this path with an answer that the service might give in future. */
async function answerOnce(page: Page, path: string, status: number, body: unknown): Promise<void> {
  await page.route(
    (address) => address.href.startsWith(world.url) && address.pathname.startsWith(path),
    (route) =>
      route.request().method() === 'OPTIONS'
        ? route.continue()
        : route.fulfill({
            status,
            json: body,
            headers: { 'access-control-allow-origin': '*', 'x-request-id': 'request-1' },
          }),
    { times: 1 },
  );
}

/** A recipient whose key an earlier version of the phone has not checked. */
const UNCHECKED = { pixKey: '11111111111', pixKeyType: 'cpf', recipientName: null, isAmountFixed: false };

const BELGIAN = 'BE41 5390 0754 7035';

/** The example of the Banco Central. */
const DYNAMIC =
  '00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd441' +
  '5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***630464E4';

describe.skipIf(browserPath === null)('the phone', () => {
  test('the phone says why a code cannot be paid, before anything is sent', async () => {
    const { page, complaints, close } = await open('/pay');
    for (const [code, sentence] of [
      [`${pixCode('joana@pix.example', '25.00').slice(0, -4)}0000`, 'Its checksum does not fit'],
      ['https://pix.example', 'It has no checksum at its end'],
      ['', 'Paste the code first.'],
    ] as const) {
      await enterCode(page, code);
      await reads(page, sentence);
      await page.locator('#code:focus').waitFor();
    }
    expect(complaints.console).toEqual([]);
    await close();
  });

  test('the phone says that a dynamic code cannot be paid if the provider does not read codes', async () => {
    const { page, close } = await open('/pay');
    const error = 'Our banking partner does not offer this.';
    await answerOnce(page, '/pix/codes', 409, { error, code: 'not_offered', requestId: 'request-1' });
    await enterCode(page, DYNAMIC);
    await reads(page, 'can only be paid with a Brazilian bank');
    expect(await page.getByRole('textbox', { name: 'PIX code' }).inputValue()).toBe(DYNAMIC);
    await close();
  });

  test('the phone offers a deposit if the balance is not enough', async () => {
    const { page, complaints, close } = await open('/pay');
    await enterCode(page, pixCode('joana@pix.example', '5000.00'));
    await press(page, /^Pay £/);
    await reads(page, 'Your balance is not enough for this.');
    await follow(page, 'Add money');
    await arrivesAt(page, 'Add money');
    expect(complaints.console).toEqual([]);
    await close();
  });

  test('the phone names a mistyped key before it asks for a price', async () => {
    const { page, complaints, close } = await open('/pay');
    const sent: string[] = [];
    page.on('request', (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await enterCode(page, pixCode('52998224724', '25.00'));
    await reads(page, 'The key in this code is not valid.');
    await page.getByLabel('PIX key').check();
    for (const [kind, key, sentence] of [
      ['cpf', '', 'Please give the key.'],
      ['cpf', '529.982.247-24', 'This is not a CPF.'],
      ['cnpj', '11222333000182', 'This is not a CNPJ.'],
      ['phone', '11 3456-7890', 'This is not a phone number with its country code.'],
      ['email', 'joana@pix', 'This is not an e-mail address.'],
      ['evp', '123e4567', 'This is not a random key.'],
    ] as const) {
      await page.getByLabel('Kind of key').selectOption(kind);
      await page.getByRole('textbox', { name: 'PIX key' }).fill(key);
      await press(page, 'Continue');
      await reads(page, sentence);
      await page.locator('#key:focus').waitFor();
    }
    expect(sent).not.toContain('POST /pix/quote');
    await page.getByLabel('Kind of key').selectOption('cpf');
    await page.getByRole('textbox', { name: 'PIX key' }).fill('529.982.247-25');
    await press(page, 'Continue');
    await arrivesAt(page, 'How much?');
    await reads(page, '52998224725');
    expect(complaints.console).toEqual([]);
    await close();
  });

  test('the phone completes a Brazilian mobile number only if the person agrees, and shows it before the payment', async () => {
    const { page, complaints, close } = await open('/pay');
    await page.getByLabel('PIX key').check();
    await page.getByLabel('Kind of key').selectOption('phone');
    const key = page.getByRole('textbox', { name: 'PIX key' });
    await key.fill('11 98765-4321');
    await press(page, 'Continue');
    await reads(page, 'This is not a phone number with its country code.');
    await press(page, 'Use +55 11 98765-4321');
    expect(await key.inputValue()).toBe('+55 11 98765-4321');
    await press(page, 'Continue');
    await page.getByLabel('The recipient gets').fill('10');
    await press(page, 'See the price');
    await arrivesAt(page, 'Confirm');
    await reads(page, '+5511987654321');
    await press(page, /^Pay £/);
    await showsStatus(page, 'completed');
    const [payment] = await all(person.ponte.payments());
    expect(payment).toMatchObject({ pixKey: '+5511987654321', pixKeyType: 'phone' });
    expect(complaints.console).toEqual([]);
    await close();
  });

  test('the phone says before the payment that the balance is not enough, and lets the service decide', async () => {
    const { sessionToken: token } = await wealthyPerson(world, '100.00');
    const { page, complaints, close } = await openPhoneAs(world, token);
    await reads(page, '£100.00');
    await follow(page, 'Pay');
    await enterCode(page, pixCode('joana@pix.example', '5000.00'));
    await reads(page, 'Not enough money');
    await press(page, /^Pay £/);
    await reads(page, 'Your balance is not enough for this.');
    expect(complaints.console).toEqual([]);
    await close();
  });

  test('the phone marks the field that the API names as mistyped', async () => {
    const euros = createPerson(world);
    const { sessionToken: token } = await signIn(euros);
    await euros.ponte.updateMe({ homeCurrency: 'EUR' });
    const { page, complaints, close } = await openPhoneAs(world, token, { route: '/bank-details' });
    await page.getByLabel('Name on the account').fill('Ada Silva');
    await page.getByLabel('BIC').fill('GEBABEBB');
    for (const [iban, sentence] of [
      ['DE89 3704 0044 0532 0130 01', 'This is not an IBAN.'],
      ['TR33 0006 1005 1978 6457 8413 26', 'We cannot pay to this country.'],
      // The bank's own check digits are wrong, and those of the IBAN are right.
      [BELGIAN, 'Please check this.'],
    ] as const) {
      await page.getByLabel('IBAN').fill(iban);
      await press(page, 'Save');
      await reads(page, sentence);
    }
    await reads(page, 'Some of the information sent is not valid.');
    expect(complaints.console).toEqual([]);
    await close();
  });

  test('the phone shows a refused key and a refused amount in the words of the API', async () => {
    const { page, complaints, close } = await open('/pay');
    await keep(page, 'draft', { ...UNCHECKED, amountBrl: null });
    await goTo(page, '/pay/amount');
    await page.reload();
    await page.getByLabel('The recipient gets').fill('4.44');
    await press(page, 'See the price');
    await reads(page, 'This amount cannot be paid. Please choose another one.');
    await follow(page, 'Back');
    await page.getByLabel('The recipient gets').fill('20');
    await press(page, 'See the price');
    await press(page, /^Pay £/);
    await reads(page, 'Some of the information sent is not valid.');
    await reads(page, 'Support number');
    expect(complaints.console).toEqual([]);
    await close();
  });

  test('the phone requests a new price when one expires, and stops after three renewals', async () => {
    const { page, complaints, close } = await open('/pay');
    await enterCode(page, pixCode('joana@pix.example', '5.55'));
    await reads(page, 'The price was renewed.');
    await reads(page, 'This price has ended');
    await press(page, 'Get a new price');
    await page.getByRole('button', { name: /^Pay £/ }).waitFor();
    expect(complaints.console).toEqual([]);
    await close();
  });

  test('the phone shows a new price if the confirmed one has expired', async () => {
    const { page, complaints, close } = await open('/pay');
    await enterCode(page, pixCode('joana@pix.example', '25.00'));
    const expired = { error: 'quote_expired', code: 'quote_expired', requestId: 'request-1' };
    await answerOnce(page, '/pix/payments', 409, expired);
    await press(page, /^Pay £/);
    await reads(page, 'The price ended before the payment could be made. Here is a new one.');
    await press(page, /^Pay £/);
    await showsStatus(page, 'completed');
    expect(complaints.console).toEqual([]);
    await close();
  });

  test('the phone sends a failed payout again', async () => {
    const { page, complaints, close } = await open('/pay');
    await enterCode(page, pixCode('recover@pix.example', '10.00'));
    await press(page, /^Pay £/);
    await showsStatus(page, 'payout_failed');
    const { failureReason } = (await all(person.ponte.payments()))[0] ?? {};
    await reads(page, failureReason ?? 'no reason');
    await press(page, 'Send it again');
    await showsStatus(page, 'completed');
    expect(complaints.console).toEqual([]);
    await close();
  });

  test('the phone shows an unknown status as in progress, and shows what it becomes', async () => {
    const { page, complaints, close } = await open('/');
    const [payment] = await all(person.ponte.payments());
    const transaction = await person.ponte.transaction(payment?.transactionId ?? '');
    await answerOnce(page, '/pix/payments/', 200, { ...payment, status: 'inspecting', failureReason: null });
    // The transaction is not final either, so the phone looks again.
    await answerOnce(page, '/transactions/', 200, { ...transaction, status: 'pending', completedAt: null });
    await goTo(page, `/payments/${payment?.id}`);
    await showsStatus(page, 'inspecting');
    await reads(page, 'Under way');
    await showsStatus(page, 'completed');
    expect(complaints.console).toEqual([]);
    await close();
  });

  test('the phone shows the sentence of an unknown code', async () => {
    const { page, complaints, close } = await open('/pay');
    await answerOnce(page, '/pix/quote', 409, {
      error: 'PIX is closed for the carnival.',
      code: 'carnival',
      requestId: 'request-7',
    });
    await enterCode(page, pixCode('joana@pix.example', '25.00'));
    await reads(page, 'PIX is closed for the carnival.');
    await reads(page, 'request-7');
    expect(complaints.console).toEqual([]);
    await close();
  });

  test('the phone keeps the last balance while it cannot be read, and says so', async () => {
    const { page, complaints, close } = await open('/');
    const balance = await page.locator('.sum').innerText();
    await page.route(`${world.url}/me`, (route) =>
      route.request().method() === 'OPTIONS' ? route.continue() : route.abort(),
    );
    await follow(page, 'Account');
    await follow(page, 'Home');
    await reads(page, 'It may be out of date.');
    expect(await page.locator('.sum').innerText()).toBe(balance);
    await page.unroute(`${world.url}/me`);
    await press(page, 'Try again');
    await page.getByText('It may be out of date.').waitFor({ state: 'detached' });
    expect(complaints.console).toEqual([]);
    await close();
  });

  test('the phone reads the history page after page', async () => {
    const saver = await wealthyPerson(world, '1.00');
    const to = await depositInstructions(saver.person);
    for (let sent = 1; sent < 13; sent += 1) await sendMoney(saver.person, to, '1.00');
    await until(
      () => all(saver.person.ponte.transactions()),
      ({ length }) => length === 13,
    );
    const { page, complaints, close } = await openPhoneAs(world, saver.sessionToken, { route: '/history' });
    const shown = page.locator('.movement');
    await until(
      () => shown.count(),
      (count) => count === 10,
    );
    await press(page, 'Show more');
    await reads(page, 'That is everything.');
    expect(await shown.count()).toBe(13);
    expect(complaints.console).toEqual([]);
    await close();
  });

  test('the phone withdraws once if the answer was lost', async () => {
    const { page, complaints, close } = await open('/bank-details');
    await page.getByLabel('Name on the account').fill('Ada Silva');
    await page.getByLabel('Sort code').fill('12 34 56');
    await page.getByLabel('Account number').fill('1234 5678');
    await press(page, 'Save');
    await page.getByLabel('Amount').fill('16.16');
    await press(page, 'Continue');
    await page.route('**/withdraws', async (route) => {
      if (route.request().method() === 'POST') await route.fetch();
      else await route.continue();
    });
    await press(page, 'Withdraw £16.16');
    await until(
      () => all(person.ponte.withdraws()),
      ({ length }) => length === 1,
    );
    await page.unroute('**/withdraws');
    await page.reload();
    await showsStatus(page, 'settling');
    const [withdraw, ...others] = await all(person.ponte.withdraws());
    expect(others).toEqual([]);
    expect(page.url()).toMatch(new RegExp(`#/transactions/${withdraw?.id}$`));
    expect(complaints.console).toEqual([]);
    await close();
  });

  test('the phone says that an identity could not be verified', async () => {
    const refused = createPerson(world);
    const { sessionToken: token } = await signIn(refused);
    await refused.ponte.updateMe({ homeCurrency: 'EUR' });
    const { page, complaints, close } = await openPhoneAs(world, token, { route: '/verify' });
    await press(page, 'Verify my identity');
    await page.getByLabel('Full name').fill('Fail Silva');
    await page.getByLabel('E-mail').fill('ada@example.com');
    await press(page, 'Verify me');
    await follow(page, 'Back to the app');
    await reads(page, 'We could not verify you');
    await follow(page, 'Home');
    await reads(page, 'Verify again');
    expect(complaints.console).toEqual([]);
    await close();
  });

  test('the phone says why an identity could not be verified, and a second attempt opens the account', async () => {
    const refused = createPerson(world);
    const { sessionToken: token } = await signIn(refused);
    await refused.ponte.updateMe({ homeCurrency: 'EUR' });
    const { page, complaints, close } = await openPhoneAs(world, token, { route: '/verify' });
    const fillIn = async () => {
      await page.getByLabel('Full name').fill('Unreadable Silva');
      await page.getByLabel('E-mail').fill('ada@example.com');
      await press(page, 'Verify me');
      await follow(page, 'Back to the app');
    };
    await press(page, 'Verify my identity');
    await fillIn();
    await reads(page, 'Your document could not be read.');
    await press(page, 'Try again');
    await fillIn();
    await reads(page, 'Your account is open');
    expect(complaints.console).toEqual([]);
    await close();
  });

  test('the phone offers no other attempt to a person who is not eligible', async () => {
    const refused = createPerson(world);
    const { sessionToken: token } = await signIn(refused);
    await refused.ponte.updateMe({ homeCurrency: 'EUR' });
    await passVerification(refused, 'Ada Ineligible');
    const { page, complaints, close } = await openPhoneAs(world, token, { route: '/verify' });
    await reads(page, 'Our banking partner cannot open an account for you.');
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    expect(complaints.console).toEqual([]);
    await close();
  });

  test('the phone asks to sign in again if the session is over, and continues on the same screen', async () => {
    const { page, complaints, close } = await openPhoneAs(world, 'a.session.that-ended', {
      route: '/history',
    });
    await reads(page, 'Please sign in again.');
    await page.getByLabel('E-mail').fill('again@example.com');
    await press(page, 'Continue with Apple');
    await arrivesAt(page, 'Your currency');
    expect(page.url()).toMatch(/#\/history$/);
    expect(complaints.console).toEqual([]);
    await close();
  });

  test('the phone warns of a bank account under another name before it withdraws', async () => {
    const other = await wealthyPerson(world, '20.00');
    const { page, complaints, close } = await openPhoneAs(world, other.sessionToken, {
      route: '/bank-details',
    });
    await page.getByLabel('Name on the account').fill('Ada Mismatch');
    await page.getByLabel('Sort code').fill('12 34 56');
    await page.getByLabel('Account number').fill('1234 5678');
    await press(page, 'Save');
    await reads(page, 'The name does not match: please check it');
    await page.getByLabel('Amount').fill('10');
    await press(page, 'Continue');
    await reads(page, 'Your bank says that this name and this account do not belong together.');
    await answerOnce(page, '/withdraws', 409, {
      error: 'The name does not match the bank account. Please check your bank details.',
      code: 'bank_details_mismatch',
      requestId: 'request-1',
    });
    await press(page, 'Withdraw £10.00');
    await reads(page, 'The name does not match the bank account. Please check your bank details.');
    await follow(page, 'Change the bank account');
    await arrivesAt(page, 'Bank details');
    expect(complaints.failed).toEqual([`409 POST ${world.url}/withdraws`]);
    await close();
  });

  test('the phone shows the price of an older server, which tells the fee as a percentage only', async () => {
    const { page, close } = await open('/pay');
    const { feeAmount: _fee, effectiveRate: _rate, ...older } = await person.ponte.quote(25);
    await answerOnce(page, '/pix/quote', 200, older);
    await enterCode(page, pixCode('joana@pix.example', '25.00'));
    await reads(page, 'Our fee, included');
    expect(await factsOn(page)).toMatchObject({ 'Our fee, included': '1 %' });
    expect(await factsOn(page)).not.toHaveProperty('Rate with our fee');
    await close();
  });

  test('the phone keeps nothing of a person who has signed out', async () => {
    const { page, complaints, close } = await open('/account');
    await press(page, 'Sign out');
    await arrivesAt(page, 'Ponte');
    expect(await page.evaluate('Object.keys(localStorage)')).toEqual([]);
    expect(complaints.console).toEqual([]);
    await close();
  });

  test('the phone scans with the camera if the browser can read codes', async () => {
    const { page, complaints, close } = await open('/');
    await page.evaluate(`(${CAMERA})(${JSON.stringify(pixCode('joana@pix.example', '25.00'))})`);
    await goTo(page, '/pay');
    await press(page, 'Scan with the camera');
    await arrivesAt(page, 'Confirm');
    await reads(page, 'Joana Lima');
    expect(complaints.console).toEqual([]);
    await close();
  });
});

/** A camera that films a canvas, and a reader that finds the code in its second picture. */
const CAMERA = `(code) => {
  const canvas = document.createElement('canvas');
  // A film needs pictures that differ.
  setInterval(() => canvas.getContext('2d').fillRect(performance.now() % 100, 0, 1, 1), 50);
  navigator.mediaDevices.getUserMedia = async () => canvas.captureStream(10);
  let pictures = 0;
  globalThis.BarcodeDetector = class {
    async detect() {
      pictures += 1;
      return pictures < 2 ? [] : [{ rawValue: code }];
    }
  };
}`;
