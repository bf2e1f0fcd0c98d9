// What a person gives to others. The phone shares a receipt as text, prints it on one sheet, and saves a year as a table.
import { buffer } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { pay, payIn, reaches } from '../../harness/people/person.ts';
import { csvOf } from '../../packages/client/src/index.ts';
import { browserPath } from '../support/browser.ts';
import { arrivesAt, factsOn, follow, press, reads, usePhone } from '../support/phone.ts';

const { world, person, open } = usePhone({ deposit: '100.00' });

const JOANA = { pixKey: 'joana@pix.example', pixKeyType: 'email' } as const;

async function payJoana(): Promise<string> {
  const { lookupId } = await person.ponte.lookUpRecipient(JOANA);
  const id = await pay(person, 25, { ...JOANA, lookupId });
  await reaches(person, id, 'completed');
  return id;
}

/** The names and values that the receipt shows, as its shared text has them. */
async function textOf(page: Page): Promise<string> {
  const lines = Object.entries(await factsOn(page)).map(([name, value]) => `${name}: ${value}`);
  return ['Paid by PIX: R$25.00', ...lines].join('\n');
}

describe.skipIf(browserPath === null)('the receipt of a payment', () => {
  test('a person opens the receipt of a payment and copies it as text, without what the payment cost', async () => {
    const id = await payJoana();
    const { page, complaints, close } = await open(`/payments/${id}`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await follow(page, 'Receipt for the recipient');
    await arrivesAt(page, 'Receipt');
    await reads(page, 'Time in São Paulo');
    const { completedAtSaoPaulo, endToEndId } = await person.ponte.receipt(id);
    expect(await factsOn(page)).toEqual({
      From: 'Ada Silva',
      'Institution of the payer': 'Banco do Atlântico',
      To: 'Joana Lima',
      'Institution of the recipient': 'Banco Estrela',
      'E-mail': 'j****@pix.example',
      'Time in São Paulo': expect.stringContaining(`, ${completedAtSaoPaulo.slice(11, 19)}`),
      'End-to-end id': endToEndId,
    });
    expect(await page.locator('main').innerText()).not.toMatch(/£|GBP|fee|rate/i);
    await press(page, 'Copy as text');
    await reads(page, 'Copied.');
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(await textOf(page));
    expect(complaints.console).toEqual([]);
    await close();
  });

  test('a phone that can share gets the same text, and a person may change their mind', async () => {
    const id = await payJoana();
    const { page, complaints, close } = await open('/');
    await page.evaluate(`
      window.shared = [];
      navigator.share = async (what) => {
        shared.push(what);
        if (shared.length > 1) throw new DOMException('dismissed', 'AbortError');
      };
      location.hash = '/receipts/${id}';
    `);
    await reads(page, 'Time in São Paulo');
    const what = { title: 'PIX receipt', text: await textOf(page) };
    await press(page, 'Share');
    await press(page, 'Share');
    await page.waitForFunction('shared.length === 2');
    expect(await page.evaluate('shared')).toEqual([what, what]);
    expect(await page.getByText('This browser did not allow it.').count()).toBe(0);
    expect(complaints.console).toEqual([]);
    await close();
  });

  test('a receipt is printed on one sheet, from a small phone and from a desk', async () => {
    const id = await payJoana();
    const { page, close } = await open(`/receipts/${id}`);
    for (const size of [
      { width: 320, height: 640 },
      { width: 1280, height: 800 },
    ]) {
      await page.setViewportSize(size);
      await reads(page, 'Time in São Paulo');
      const sheet = (await page.pdf({ format: 'A4' })).toString('latin1');
      expect(sheet.match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
    }
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await page.getByRole('button').count()).toBe(0);
    expect(await page.getByRole('link').count()).toBe(0);
    expect(await page.locator('.facts').isVisible()).toBe(true);
    await close();
  });

  test('a payment that did not arrive has no receipt', async () => {
    const id = await pay(person, 5, { pixKey: 'fail@pix.example', pixKeyType: 'email' });
    await reaches(person, id, 'payout_failed');
    const { page, close } = await open(`/payments/${id}`);
    await reads(page, 'Send it again');
    expect(await page.getByText('Receipt for the recipient').count()).toBe(0);
    await page.goto(`${world.sandboxUrl}/phone/#/receipts/${id}`);
    await reads(page, 'The recipient has not received this payment, so it has no receipt.');
    await close();
  });

  test('a person saves the year as a table, and a spreadsheet runs no text of a stranger as a formula', async () => {
    await payIn(person, '1.00', { reference: '=1+1' });
    const { page, complaints, close } = await open('/history');
    const download = page.waitForEvent('download');
    await press(page, 'Save the year as a table');
    const saved = await download;
    const year = new Date().getUTCFullYear();
    expect(saved.suggestedFilename()).toBe(`ponte-${year}.csv`);
    const table = (await buffer(await saved.createReadStream())).toString();
    expect(table).toBe(csvOf(await person.ponte.transactionsOfYear(year)));
    expect(table).toContain(",'=1+1,");
    await page.getByLabel('Year').selectOption(String(year - 1));
    const empty = page.waitForEvent('download');
    await press(page, 'Save the year as a table');
    expect((await buffer(await (await empty).createReadStream())).toString()).toBe(csvOf([]));
    expect(complaints.console).toEqual([]);
    await close();
  });
});
