// How the phone looks: every screen at the sizes of a small phone, a phone and a desk, and in light and dark colours.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { createPerson, passVerification, pay, reaches, signIn } from '../../harness/people/person.ts';
import { axe, browserPath } from '../support/browser.ts';
import {
  arrivesAt,
  goTo,
  keep,
  openPhone,
  openPhoneAs,
  press,
  reads,
  usePhone,
  wealthyPerson,
} from '../support/phone.ts';
import { until } from '../support/until.ts';

const SIZES = { small: [320, 640], phone: [390, 844], desk: [1280, 800] } as const;
/** The smallest target, in CSS pixels. A browser may round a position down. */
const TARGET = 44 - 0.5;

const { world } = usePhone();
/** A person with every kind of payment, a withdrawal and a deposit. */
let rich: {
  sessionToken: string;
  completed: string;
  retryable: string;
  unknownKey: string;
  returned: string;
};
let withdrawal: string;
/** A person whose identity check failed, and a person who has just chosen a currency. */
let refused: string;
let newcomer: string;
let stranger: string;

beforeAll(async () => {
  if (browserPath === null) return;
  [rich, refused, newcomer, stranger] = await Promise.all([
    richPerson(),
    unverified(async (person) => {
      await person.ponte.updateMe({ homeCurrency: 'EUR' });
      await passVerification(person, 'Unreadable Silva');
      await until(person.ponte.verification, ({ status }) => status === 'failed');
    }),
    unverified(async (person) => void (await person.ponte.updateMe({ homeCurrency: 'EUR' }))),
    unverified(async () => undefined),
  ]);
});

async function richPerson(): Promise<typeof rich> {
  const { person, sessionToken } = await wealthyPerson(world, '850.00');
  const paid = async (key: string, amountBrl: number, status: Parameters<typeof reaches>[2]) => {
    const recipientName = key === 'joana' ? 'Joana Lima' : 'Padaria São João do Rio Vermelho';
    const to = { pixKey: `${key}@pix.example`, pixKeyType: 'email', recipientName } as const;
    const id = await pay(person, amountBrl, to);
    await reaches(person, id, status);
    return id;
  };
  const completed = await paid('joana', 120, 'completed');
  const retryable = await paid('fail', 25, 'payout_failed');
  const unknownKey = await paid('unknown', 12.5, 'payout_failed');
  const returned = await paid('return', 1050.75, 'manual_review');
  const account = { accountHolderName: 'Ada Silva', sortCode: '12-34-56', accountNumber: '12345678' };
  await person.ponte.saveBankDetails({ currency: 'GBP', ...account });
  withdrawal = (await person.ponte.withdraw(10_000)).id;
  return { sessionToken, completed, retryable, unknownKey, returned };
}

async function unverified(prepare: (person: ReturnType<typeof createPerson>) => Promise<void>) {
  const person = createPerson(world);
  const { sessionToken } = await signIn(person);
  await prepare(person);
  return sessionToken;
}

const DRAFT = {
  pixKey: 'joana@pix.example',
  pixKeyType: 'email',
  recipientName: 'Joana Lima',
  amountBrl: '25.00',
  isAmountFixed: false,
};

type Visit = [route: string, heading: string, text: string | RegExp, act?: (page: Page) => Promise<void>];

/** Each screen with its heading, and a text that appears when its data have been read. */
const visitsOfRich = (): Visit[] => [
  ['/', 'Hello, Ada', 'Returned'],
  ['/verify', 'Your identity', 'Your account is open'],
  ['/add-money', 'Add money', 'See your account in the console'],
  ['/pay', 'Pay', 'Use the example code'],
  ['/pay', 'Pay', 'PIX code', keyIsWrong],
  ['/pay', 'Pay', 'PIX code', paidBefore],
  ['/pay/amount', 'How much?', 'You have'],
  ['/pay/confirm', 'Confirm', 'This price holds'],
  [`/payments/${rich.completed}`, 'Payment', 'See the payout in the console'],
  [`/receipts/${rich.completed}`, 'Receipt', 'Time in São Paulo'],
  [`/receipts/${rich.returned}`, 'Receipt', 'Support number'],
  [`/payments/${rich.retryable}`, 'Payment', 'Send it again'],
  [`/payments/${rich.unknownKey}`, 'Payment', 'What happens next'],
  [`/payments/${rich.returned}`, 'Payment', 'Returned'],
  ['/payments/00000000-0000-4000-8000-000000000000', 'Payment', 'Support number'],
  ['/withdraw', 'Withdraw', 'Change the bank account'],
  [
    '/withdraw',
    'Withdraw',
    'Change the bank account',
    async (page) => {
      await page.getByLabel('Amount').fill('100');
      await press(page, 'Continue');
    },
  ],
  [`/transactions/${withdrawal}`, 'Withdrawal', 'See your account in the console'],
  ['/bank-details', 'Bank details', 'Sort code', (page) => press(page, 'Save')],
  ['/history', 'History', 'PIX payment arrived'],
  ['/find/E0000', 'Find', 'Nothing here has this id'],
  ['/account', 'Account', 'Sign out'],
  ['/account/data', 'Your data', 'A copy of my data'],
  ['/account/close', 'Close your account', 'It still holds', closingIsRefused],
  ['/withdraw/sending', 'Pay', 'There is no payment here'],
];

async function paidBefore(page: Page): Promise<void> {
  await page.getByLabel('Paid before').check();
  await reads(page, 'joana@pix.example');
}

async function keyIsWrong(page: Page): Promise<void> {
  await page.getByLabel('PIX key').check();
  await page.getByLabel('Kind of key').selectOption('phone');
  await page.getByRole('textbox', { name: 'PIX key' }).fill('11 98765-4321');
  await press(page, 'Continue');
}

async function closingIsRefused(page: Page): Promise<void> {
  await page.getByLabel('Yes, close my account for good').check();
  await press(page, 'Close my account');
  await reads(page, 'Close it with the money inside?');
}

/** Whether the page or the frame of the phone can be scrolled sideways. */
const IS_WIDE = `[document.documentElement, document.querySelector('#phone')]
  .some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)`;

/** The targets that are too small, with their size. A radio button is pressed by its label. */
const SMALL_TARGETS = `[...document.querySelectorAll('a, button, input, select, textarea, summary')].flatMap((one) => {
  const target = /^(radio|checkbox)$/.test(one.type) ? one.closest('label') : one;
  const { width, height } = target.getBoundingClientRect();
  const isHidden = width === 0 && height === 0;
  if (isHidden || (width >= ${TARGET} && height >= ${TARGET})) return [];
  return [\`\${target.textContent.trim() || target.getAttribute('aria-label') || target.id}: \${width} x \${height}\`];
})`;

/** The rules of axe-core about colours. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** The rules of axe-core about what another size of the screen can change. */
const SIZE_RULES = [...COLOUR_RULES, 'scrollable-region-focusable'];

/** Returns the faults of the page. At other sizes and in dark colours, only the rules about what these change run again. */
async function faultsOf(page: Page): Promise<Record<string, unknown>> {
  const faults: Record<string, unknown> = {};
  const judge = async (name: string, rules: Parameters<typeof axe>[1]): Promise<void> => {
    const violations = await axe(page, rules);
    if (violations.length > 0) faults[name] = violations;
  };
  for (const [name, [width, height]] of Object.entries(SIZES)) {
    await page.setViewportSize({ width, height });
    if (await page.evaluate<boolean>(IS_WIDE)) faults[`${name} scrolls sideways`] = true;
    const small = await page.evaluate<string[]>(SMALL_TARGETS);
    if (small.length > 0) faults[`${name} targets`] = small;
    await judge(name, name === 'phone' ? {} : { only: SIZE_RULES });
    await page.emulateMedia({ colorScheme: 'dark' });
    await judge(`${name} in dark`, { only: COLOUR_RULES });
    await page.emulateMedia({ colorScheme: 'light' });
  }
  return faults;
}

describe.skipIf(browserPath === null)('in light and dark colours and at every size', () => {
  test('every screen of the phone is accessible, has large targets and never scrolls sideways', async () => {
    const faults: Record<string, unknown> = {};
    const check = async (page: Page, name: string): Promise<void> => {
      const found = await faultsOf(page);
      if (Object.keys(found).length > 0) faults[name] = found;
    };
    const { page, complaints, close } = await openPhone(world);
    await arrivesAt(page, 'Ponte');
    await page.getByLabel('E-mail').fill('nobody');
    await press(page, 'Continue with Google');
    await reads(page, 'Please give an e-mail address.');
    await check(page, 'sign-in');

    await keep(page, 'session', rich.sessionToken);
    await keep(page, 'draft', DRAFT);
    await page.reload();
    for (const [index, [route, heading, text, act]] of visitsOfRich().entries()) {
      // The same screen again begins at its beginning.
      await page.goto('about:blank');
      await page.goto(`${world.sandboxUrl}/phone/#${route}`);
      await arrivesAt(page, heading);
      await reads(page, text);
      await act?.(page);
      await check(page, `${index} ${route}`);
    }
    await page.route('**/withdraws', (sent) => sent.abort());
    await keep(page, 'withdrawal', { amount: 1_000, idempotencyKey: crypto.randomUUID() });
    await page.reload();
    await reads(page, 'We do not know whether your withdrawal reached us.');
    await check(page, 'unanswered');
    expect(faults).toEqual({});
    expect(complaints.elsewhere).toEqual([]);
    expect(complaints.console).toEqual([]);
    await close();
  });

  test('the first screens of the phone are accessible, have large targets and never scroll sideways', async () => {
    const faults: Record<string, unknown> = {};
    for (const [name, token, route, text] of [
      ['currency', stranger, '/', 'Your balance will be in this currency.'],
      ['newcomer', newcomer, '/', 'Verify my identity'],
      ['verify', newcomer, '/verify', 'We have to know who you are'],
      ['no account', newcomer, '/add-money', 'Your account is not open yet'],
      ['refused', refused, '/', 'Verify again'],
      ['refused-why', refused, '/verify', 'Your document could not be read.'],
      ['ended session', 'a.session.that-ended', '/', 'Please sign in again.'],
    ] as const) {
      const { page, close } = await openPhoneAs(world, token, { route });
      await reads(page, text);
      const found = await faultsOf(page);
      if (Object.keys(found).length > 0) faults[name] = found;
      await close();
    }
    expect(faults).toEqual({});
  });
});

describe.skipIf(browserPath === null)('the sign-in of the phone', () => {
  test.each([
    ['Apple', 'a', 'rgb(0, 0, 0)'],
    ['Google', 'b', 'rgb(255, 255, 255)'],
  ])('the button of %s signs in with provider %s and has the colour %s', async (name, provider, colour) => {
    const { page, complaints, close } = await openPhone(world);
    const button = page.getByRole('button', { name: `Continue with ${name}`, exact: true });
    await button.waitFor();
    expect(
      await page.evaluate<string>(
        `getComputedStyle(document.querySelector('.button.${name.toLowerCase()}')).backgroundColor`,
      ),
    ).toBe(colour);
    await page.getByLabel('E-mail').fill(`${name}@example.com`);
    // The service refuses a token of the other provider.
    const sent = page.waitForRequest(`${world.sandboxUrl}/identity/${provider}/token`);
    await button.click();
    await sent;
    await arrivesAt(page, 'Your currency');
    expect(complaints).toEqual({ console: [], elsewhere: [], failed: [] });
    await close();
  });
});

const boxOf = (page: Page) =>
  page.evaluate<{ left: number; right: number; top: number; bottom: number; border: string }>(`(() => {
    const phone = document.querySelector('#phone');
    const { left, right, top, bottom } = phone.getBoundingClientRect();
    return { left, right, top, bottom, border: getComputedStyle(phone).borderLeftWidth };
  })()`);

describe.skipIf(browserPath === null)('the frame of the phone', () => {
  test('a large screen shows the phone in its centre with its own scroll, and a new screen begins at the top', async () => {
    const { page, close } = await openPhoneAs(world, rich.sessionToken, {
      route: `/payments/${rich.completed}`,
    });
    await page.setViewportSize({ width: 1280, height: 800 });
    await reads(page, 'See the payout in the console');
    const { left, right, top, bottom, border } = await boxOf(page);
    expect([left, right - left, border]).toEqual([1280 - right, 416, '10px']);
    expect(top).toBeGreaterThan(0);
    expect(bottom).toBeLessThan(800);
    await page.getByText('See your account in the console').scrollIntoViewIfNeeded();
    const scrolled = () =>
      page.evaluate<number[]>(`[scrollY, document.querySelector('#phone').scrollTop > 0 ? 1 : 0]`);
    expect(await scrolled()).toEqual([0, 1]);
    await goTo(page, '/history');
    await arrivesAt(page, 'History');
    await until(scrolled, ([, isScrolled]) => isScrolled === 0);
    await close();
  });

  test('on a phone the app fills the screen', async () => {
    const { page, close } = await openPhoneAs(world, rich.sessionToken, { route: '/history' });
    await arrivesAt(page, 'History');
    expect(await boxOf(page)).toMatchObject({ left: 0, right: 390, top: 0, border: '0px' });
    await close();
  });
});
