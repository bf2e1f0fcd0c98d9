// `npm run pictures`: draws the phone for the README, light and dark, and a receipt into docs/pictures/. It starts its own stack, and
// needs Chromium (CHROMIUM names a path other than Debian's).
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { createPerson, join, pay, payIn, reaches } from '../harness/people/person.ts';
import { freePort } from '../harness/processes/free-port.ts';
import { sandboxWithPhone } from '../harness/stack/local-stack.ts';
import { startTemporaryStack } from '../harness/stack/temporary-stack.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const FOLDER = path.resolve(import.meta.dirname, '../docs/pictures');
const SCREEN = { width: 390, height: 780 };
const GAP = 24;
const GROUND = { light: '#dfe6e1', dark: '#22302c' };

const [port, sandboxPort] = [await freePort(), await freePort()];
const stack = await startTemporaryStack(temporaryFolder('pictures'), {
  port,
  sandboxPort,
  ...sandboxWithPhone(port, sandboxPort),
});
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  mkdirSync(FOLDER, { recursive: true });
  const { sessionToken, paymentId } = await somebody();
  for (const colorScheme of ['light', 'dark'] as const) {
    const shown = { colorScheme, sessionToken, paymentId };
    await drawSheet(
      browser,
      await screensOf(browser, shown),
      GROUND[colorScheme],
      `phone-${colorScheme}.png`,
    );
  }
  await drawReceipt(browser, { colorScheme: 'light', sessionToken, paymentId });
} finally {
  await browser.close();
  await stack.stop();
}

async function somebody(): Promise<{ sessionToken: string; paymentId: string }> {
  const person = createPerson(stack);
  const { sessionToken } = await join(person, '850.00');
  const account = { accountHolderName: 'Ada Silva', sortCode: '12-34-56', accountNumber: '12345678' };
  await person.ponte.saveBankDetails({ currency: 'GBP', ...account });
  const to = { pixKey: 'joana@pix.example', pixKeyType: 'email' } as const;
  const { lookupId } = await person.ponte.lookUpRecipient(to);
  const paymentId = await pay(person, 120, { ...to, lookupId });
  await reaches(person, paymentId, 'completed');
  await payIn(person, '40.00');
  return { sessionToken, paymentId };
}

type Shown = { colorScheme: 'light' | 'dark'; sessionToken: string; paymentId: string };

async function screensOf(from: Browser, { colorScheme, sessionToken, paymentId }: Shown): Promise<Buffer[]> {
  const page = await pageFor(from, colorScheme);
  const draft = {
    pixKey: '+5511987654321',
    pixKeyType: 'phone',
    recipientName: 'Padaria São João',
    amountBrl: '86.50',
    isAmountFixed: true,
  };
  await keep(page, { session: sessionToken, draft });
  const screens = [];
  for (const [route, text] of [
    ['/', 'PIX payment'],
    ['/pay/confirm', 'This price holds'],
    [`/payments/${paymentId}`, 'End-to-end id'],
  ] as const)
    screens.push(await screenAt(page, route, text));
  await page.context().close();
  return screens;
}

async function drawReceipt(from: Browser, { colorScheme, sessionToken, paymentId }: Shown): Promise<void> {
  const page = await pageFor(from, colorScheme);
  await keep(page, { session: sessionToken });
  const screen = await screenAt(page, `/receipts/${paymentId}`, 'Time in São Paulo');
  writeFileSync(path.join(FOLDER, 'phone-receipt.png'), screen);
  await page.context().close();
}

async function pageFor(from: Browser, colorScheme: Shown['colorScheme']): Promise<Page> {
  const context = await from.newContext({ viewport: SCREEN, colorScheme, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(`${stack.sandboxUrl}/phone/`);
  return page;
}

async function keep(page: Page, values: Record<string, unknown>): Promise<void> {
  for (const [name, value] of Object.entries(values))
    await page.evaluate(`localStorage.setItem('ponte.${name}', ${JSON.stringify(JSON.stringify(value))})`);
}

async function screenAt(page: Page, route: string, text: string): Promise<Buffer> {
  await page.evaluate(`void (location.hash = '${route}')`);
  await page.reload();
  await page.getByText(text).first().waitFor();
  return page.screenshot();
}

async function drawSheet(from: Browser, screens: Buffer[], ground: string, name: string): Promise<void> {
  const width = screens.length * (SCREEN.width + GAP) + GAP;
  const page = await from.newPage({ viewport: { width, height: SCREEN.height + 2 * GAP } });
  const images = screens.map(
    (screen) =>
      `<img width="${SCREEN.width}" style="border-radius:28px" src="data:image/png;base64,${screen.toString('base64')}">`,
  );
  const style = `margin:0;padding:${GAP}px;display:flex;gap:${GAP}px;background:${ground}`;
  await page.setContent(`<body style="${style}">${images.join('')}`);
  await page.screenshot({ path: path.join(FOLDER, name) });
  await page.close();
}
