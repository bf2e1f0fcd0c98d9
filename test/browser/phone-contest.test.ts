// A person contests a completed payment on the phone, follows it, and sees what came back, in a browser and against the real service.
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { pay, reaches } from '../../harness/people/person.ts';
import { browserPath } from '../support/browser.ts';
import {
  arrivesAt,
  factsOn,
  follow,
  openPhoneAs,
  press,
  reads,
  usePhone,
  wealthyPerson,
} from '../support/phone.ts';
import { until } from '../support/until.ts';
import type { World } from '../support/world.ts';

const { world } = usePhone();

/** Returns a completed payment of R$ 100.00, opened on the phone. */
async function paid(key: string, look: { locale?: string } = {}) {
  const { person, sessionToken } = await wealthyPerson(world, '100.00');
  const id = await pay(person, 100, { pixKey: key, pixKeyType: 'email' });
  await reaches(person, id, 'completed');
  const opened = await openPhoneAs(world, sessionToken, { route: `/payments/${id}`, ...look });
  const shown = (status: string) =>
    until(
      () => person.ponte.payment(id),
      ({ contestationStatus }) => contestationStatus === status,
    );
  return { ...opened, id, shown };
}

async function reload(page: Page, { sandboxUrl }: World, id: string): Promise<void> {
  await page.goto('about:blank');
  await page.goto(`${sandboxUrl}/phone/#/payments/${id}`);
}

describe.skipIf(browserPath === null)('the phone after a fraud', () => {
  test('reports the payment once, and shows in Portuguese that a part came back', async () => {
    const { page, id, shown, complaints, close } = await paid('joana@pix.example', { locale: 'pt-BR' });
    await follow(page, 'Contestar pagamento');
    await arrivesAt(page, 'Contestar pagamento');
    await press(page, 'Enviar contestação');
    await reads(page, 'Descreva o que aconteceu.');
    await page.getByLabel('Conte mais').fill('A loja não existe.');
    await press(page, 'Enviar contestação');
    await reads(page, 'Sua contestação foi enviada');
    await shown('accepted');
    await reload(page, world, id);
    await reads(page, 'Aceita: haverá devolução');
    expect(await factsOn(page)).toMatchObject({
      'Sua contestação': 'Aceita: haverá devolução',
      'Devolvido pelo banco do destinatário': expect.stringMatching(/^R\$\s50,00$/) as string,
    });
    expect(await page.getByRole('link', { name: 'Contestar pagamento' }).count()).toBe(0);
    await follow(page, 'Comprovante para o destinatário');
    await reads(page, 'Devolvido depois');
    expect(complaints).toEqual({ console: [], elsewhere: [], failed: [] });
    await close();
  });

  test.for([
    ['undecided@pix.example', 'open', 'The recipient’s bank is looking into it'],
    ['denied@pix.example', 'rejected', 'Rejected: nothing comes back'],
  ] as const)('says what became of the report about %s', async ([key, status, sentence]) => {
    const { page, id, shown, close } = await paid(key);
    await follow(page, 'Report a problem');
    await page.getByLabel('Tell us more').fill('The shop does not exist.');
    await press(page, 'Report this payment');
    await reads(page, 'Your report is on its way');
    await shown(status);
    await reload(page, world, id);
    await reads(page, sentence);
    expect(Object.keys(await factsOn(page))).not.toContain('Came back from the recipient’s bank');
    await close();
  });
});
