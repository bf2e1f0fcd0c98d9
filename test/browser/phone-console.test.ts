// The phone and the sandbox's console lead to each other by the ids that both know.
import { describe, expect, test } from 'vitest';
import { pay, reaches } from '../../harness/people/person.ts';
import { axe, browserPath } from '../support/browser.ts';
import { arrivesAt, factsOn, follow, openPhoneAs, reads, usePhone, wealthyPerson } from '../support/phone.ts';
import { payoutsOf } from '../support/upstream.ts';

const { world } = usePhone();

const JOANA = { pixKey: 'joana@pix.example', pixKeyType: 'email', recipientName: 'Joana Lima' } as const;

describe.skipIf(browserPath === null)('the phone and the console', () => {
  test('a receipt leads to its payout in the console, and the payout leads back to the receipt', async () => {
    const { person, sessionToken } = await wealthyPerson(world, '100.00');
    const id = await pay(person, 25, JOANA);
    const { endToEndId, voucherId } = await reaches(person, id, 'completed');
    const [payout] = await payoutsOf(world, id);
    const { page, complaints, close } = await openPhoneAs(world, sessionToken, { route: `/payments/${id}` });
    await follow(page, 'See the payout in the console');
    await arrivesAt(page, '25.00 BRL by PIX COMPLETED');
    expect(page.url()).toBe(`${world.sandboxUrl}/console/payouts/${payout?.uuid}`);
    await reads(page, endToEndId ?? 'no id');
    await reads(page, voucherId ?? 'no voucher');
    // The console also finds the other id that a receipt shows.
    const found = await fetch(`${world.sandboxUrl}/console/find?q=${id}`);
    expect(found.url).toBe(page.url());
    expect(await axe(page)).toEqual([]);

    await follow(page, 'the payment');
    await arrivesAt(page, 'Payment');
    expect(page.url()).toMatch(new RegExp(`/phone/#/payments/${id}$`));
    expect(await factsOn(page)).toMatchObject({ 'End-to-end id': endToEndId });
    expect(complaints).toEqual({ console: [], elsewhere: [], failed: [] });
    await close();
  });

  test("a person's account leads to the console, and the account and its user lead back to the bank details", async () => {
    const { person, sessionToken } = await wealthyPerson(world, '100.00');
    const { deposit } = await person.ponte.me();
    const { page, complaints, close } = await openPhoneAs(world, sessionToken, { route: '/add-money' });
    for (const [isUser, link] of [
      [false, 'its bank details'],
      [true, 'the bank details'],
    ] as const) {
      await follow(page, 'See your account in the console');
      await page.getByRole('heading', { level: 1, name: '100.00 GBP' }).waitFor();
      if (isUser) await follow(page, 'Ada Silva');
      await follow(page, link);
      await arrivesAt(page, 'Add money');
      await reads(page, deposit?.accountNumber ?? 'no number');
    }
    expect(complaints).toEqual({ console: [], elsewhere: [], failed: [] });
    await close();
  });

  test('a link of the console to something of another person says so', async () => {
    const [one, other] = [await wealthyPerson(world, '100.00'), await wealthyPerson(world, '1.00')];
    const { endToEndId } = await reaches(one.person, await pay(one.person, 25, JOANA), 'completed');
    const { page, complaints, close } = await openPhoneAs(world, other.sessionToken, {
      route: `/find/${endToEndId}`,
    });
    await reads(page, 'Nothing here has this id');
    await reads(page, endToEndId ?? 'no id');
    expect(complaints.console).toEqual([]);
    await close();
  });
});
