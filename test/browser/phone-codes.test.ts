// The phone pays dynamic PIX codes, in a browser and against the real service.

import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { all } from '../../harness/people/all.ts';
import { magicCode } from '../../sandbox/magic.ts';
import { browserPath } from '../support/browser.ts';
import { codeOfCharge } from '../support/codes.ts';
import { must, quote, verified } from '../support/person.ts';
import { arrivesAt, factsOn, press, reads, showsStatus, usePhone } from '../support/phone.ts';

const { world, person, open } = usePhone({ deposit: '100.00' });

async function enterCode(page: Page, code: string): Promise<void> {
  await page.getByRole('textbox', { name: 'PIX code' }).fill(code);
  await press(page, 'Continue');
}

const payButton = (page: Page) => page.getByRole('button', { name: /^Pay £/ });

describe.skipIf(browserPath === null)('the phone', () => {
  test('a person sees whom a dynamic code pays and how much, and pays it', async () => {
    const { page, complaints, close } = await open('/pay');
    const looked: string[] = [];
    page.on('request', (request) => looked.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await enterCode(page, await codeOfCharge(world, { amount: '12.50' }));
    await arrivesAt(page, 'Confirm');
    await reads(page, 'Padaria Estrela Ltda.');
    await reads(page, /R\$\s?12\.50/);
    expect(await factsOn(page)).toMatchObject({ Institution: 'Caixa do Bairro' });
    await payButton(page).click();
    await showsStatus(page, 'completed');
    expect(looked).not.toContain('POST /pix/recipients/lookup');
    expect((await all(person.ponte.payments()))[0]).toMatchObject({
      amountBrl: '12.50',
      recipientName: 'Padaria Estrela Ltda.',
    });
    expect(complaints.console).toEqual([]);
    await close();
  });

  test('a person chooses the amount of a code that has none', async () => {
    const { page, close } = await open('/pay');
    await enterCode(page, magicCode('open'));
    await arrivesAt(page, 'How much?');
    await page.getByLabel('The recipient gets').fill('3.00');
    await press(page, 'See the price');
    await payButton(page).click();
    await showsStatus(page, 'completed');
    expect((await all(person.ponte.payments()))[0]).toMatchObject({ amountBrl: '3.00' });
    await close();
  });

  test('the phone says that a code is expired, paid or cancelled, or cannot be read now', async () => {
    const { page, close } = await open('/pay');
    for (const [outcome, sentence] of [
      ['expired', 'This payment code has expired.'],
      ['already_paid', 'This payment code has already been paid.'],
      ['cancelled', 'The recipient has cancelled this payment code.'],
      ['unavailable', 'The payment code could not be read.'],
    ] as const) {
      await enterCode(page, magicCode(outcome));
      await reads(page, sentence);
    }
    expect(await payButton(page).count()).toBe(0);
    await close();
  });

  test('a charge that somebody else pays meanwhile is not paid twice', async () => {
    const bea = await verified(world, { deposit: '100.00' });
    const code = await codeOfCharge(world);
    const { page, close } = await open('/pay');
    await enterCode(page, code);
    await arrivesAt(page, 'Confirm');
    const { codeId, pixKey } = await bea.ponte.readCode({ code });
    const { quoteId } = await quote(bea, 10);
    must(await bea.api.POST('/pix/payments', { body: { quoteId, pixKey, pixKeyType: 'email', codeId } }));
    await payButton(page).click();
    await reads(page, 'This payment code is already being paid, or has been paid.');
    await page.getByRole('link', { name: 'See your history' }).waitFor();
    expect(await all(bea.ponte.payments())).toMatchObject([{ amountBrl: '10.00' }]);
    await close();
  });
});
