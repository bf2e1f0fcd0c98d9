// The phone shows whom a payment goes to before the person pays, in a browser and against the real service.

import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { all } from '../../harness/people/all.ts';
import { browserPath } from '../support/browser.ts';
import {
  arrivesAt,
  factsOn,
  follow,
  pixCode,
  press,
  reads,
  showsStatus,
  usePhone,
} from '../support/phone.ts';

const { world, person, open } = usePhone({ deposit: '100.00' });

async function enterCode(page: Page, key: string): Promise<void> {
  await page.getByRole('textbox', { name: 'PIX code' }).fill(pixCode(key, '10.00'));
  await press(page, 'Continue');
  await arrivesAt(page, 'Confirm');
}

const payButton = (page: Page) => page.getByRole('button', { name: /^Pay £/ });

describe.skipIf(browserPath === null)('the phone', () => {
  test('a person sees the name, the tax number and the institution of the recipient before the payment', async () => {
    const { page, complaints, close } = await open('/pay');
    const looked: string[] = [];
    page.on('request', (request) => looked.push(`${request.method()} ${new URL(request.url()).pathname}`));
    // The code says Joana Lima. The directory decides.
    await enterCode(page, 'padaria@pix.example');
    await reads(page, 'Padaria Estrela Ltda.');
    expect(await factsOn(page)).toMatchObject({
      'Tax number': '11.222.333/0001-81',
      Institution: 'Caixa do Bairro',
    });
    // A reload shows the same look-up.
    await page.reload();
    await reads(page, 'Padaria Estrela Ltda.');
    await payButton(page).click();
    await showsStatus(page, 'completed');
    expect(await factsOn(page)).toMatchObject({ Recipient: 'Padaria Estrela Ltda.' });
    expect(looked.filter((one) => one === 'POST /pix/recipients/lookup')).toHaveLength(1);
    expect(complaints.console).toEqual([]);
    await close();
  });

  test('a key without an account cannot be paid, and the person can change it', async () => {
    const { page, close } = await open('/pay');
    await enterCode(page, 'unknown@pix.example');
    await reads(page, 'No account has this PIX key.');
    await reads(page, /This price holds for/);
    expect(await payButton(page).count()).toBe(0);
    await follow(page, 'Change the key');
    await arrivesAt(page, 'Pay');
    await close();
  });

  test('a person can pay without the name if it cannot be checked', async () => {
    const { page, close } = await open('/pay');
    await enterCode(page, 'unavailable@pix.example');
    await reads(page, 'We could not check the name');
    await payButton(page).click();
    await showsStatus(page, 'completed');
    // The name is that of the code.
    expect((await all(person.ponte.payments()))[0]).toMatchObject({
      pixKey: 'unavailable@pix.example',
      recipientName: 'Joana Lima',
    });
    await close();
  });

  test('a recipient that was looked up too long ago is shown again before the payment', async () => {
    const { page, close } = await open('/pay');
    await enterCode(page, 'joana@pix.example');
    await reads(page, '***.982.247-**');
    await sql`update pix_lookups set expires_at = now() where user_id in (select id from users)`.execute(
      world.service.app.db,
    );
    const before = (await all(person.ponte.payments())).length;
    await payButton(page).click();
    await arrivesAt(page, 'Confirm');
    await reads(page, 'Please check the recipient once more before you pay.');
    expect((await all(person.ponte.payments())).length).toBe(before);
    await reads(page, '***.982.247-**');
    await payButton(page).click();
    await showsStatus(page, 'completed');
    expect((await all(person.ponte.payments()))[0]).toMatchObject({ recipientName: 'Joana Lima' });
    await close();
  });

  test('a person pays somebody again, whom the phone looks up again first', async () => {
    const paid = (await all(person.ponte.recipients())).find(
      ({ pixKey }) => pixKey === 'padaria@pix.example',
    );
    expect(paid?.recipientName).toBe('Padaria Estrela Ltda.');
    const { page, complaints, close } = await open('/pay');
    const looked: string[] = [];
    page.on('request', (request) => looked.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await page.getByLabel('Paid before').check();
    await page.getByRole('button', { name: /^Padaria Estrela Ltda\./ }).click();
    await page.getByLabel('The recipient gets').fill('11');
    await press(page, 'See the price');
    await arrivesAt(page, 'Confirm');
    await reads(page, '11.222.333/0001-81');
    await payButton(page).click();
    await showsStatus(page, 'completed');
    expect(looked.filter((one) => one === 'POST /pix/recipients/lookup')).toHaveLength(1);
    expect((await all(person.ponte.payments()))[0]).toMatchObject({
      pixKey: 'padaria@pix.example',
      amountBrl: '11.00',
      recipientName: 'Padaria Estrela Ltda.',
    });
    expect(complaints.console).toEqual([]);
    await close();
  });

  test('a person removes a recipient from the list', async () => {
    const { page, close } = await open('/pay');
    await page.getByLabel('Paid before').check();
    const padaria = page.getByRole('button', { name: /^Padaria Estrela Ltda\./ });
    await padaria.waitFor();
    await press(page, 'Remove Padaria Estrela Ltda.');
    await padaria.waitFor({ state: 'detached' });
    const left = (await all(person.ponte.recipients())).map(({ pixKey }) => pixKey);
    expect(left).not.toContain('padaria@pix.example');
    expect(left).toContain('joana@pix.example');
    await close();
  });
});
