// Pages in a headless Chromium of the machine: they are opened, watched for complaints, and checked for accessibility.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';
import { leaveOut } from '../../scripts/unchecked.ts';

/** Null on a machine without Chromium. Tests in a browser are then skipped, or fail under `CI=true` (scripts/unchecked.ts). */
export const browserPath: string | null =
  [
    process.env['CHROMIUM'],
    // Chromium without the parts that draw a window: a page costs half of the processor time.
    '/usr/bin/chromium-headless-shell',
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
  ]
    .filter((path) => path !== undefined)
    .find((path) => existsSync(path)) ?? null;
if (browserPath === null)
  leaveOut(
    'browser',
    'No Chromium on this machine (CHROMIUM names another path): tests in a browser are skipped.',
  );

const LAUNCH_ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
/** The limit is generous, because a busy machine must not fail a test. */
const PATIENCE_MS = 120_000;

/** Complaints about a page. A test that expects an entry empties the list. */
export type Complaints = {
  /** Errors and warnings in the console, and uncaught exceptions. */
  console: string[];
  /** Requested addresses that belong to none of the page's own origins. */
  elsewhere: string[];
  /** Responses with a status from 400, and requests without a response, as `409 POST http://...`. */
  failed: string[];
};
export type Opened = { page: Page; complaints: Complaints; close: () => Promise<void> };

let browser: Promise<Browser> | null = null;

/**
 * Opens an address in its own profile, by default at a phone's size.
 * @param origins other origins that the page may call.
 * @param stored what the page's local storage contains before the page is loaded.
 * @param locale the browser's language, for example `pt-BR`.
 */
export async function openPage(
  address: string,
  {
    origins = [],
    stored = {},
    width = 390,
    height = 844,
    colorScheme = 'light',
    locale = 'en-GB',
  }: {
    origins?: string[];
    stored?: Record<string, string>;
    width?: number;
    height?: number;
    colorScheme?: 'light' | 'dark';
    locale?: string;
  } = {},
): Promise<Opened> {
  browser ??= chromium.launch({ executablePath: browserPath ?? '', args: LAUNCH_ARGUMENTS });
  const localStorage = Object.entries(stored).map(([name, value]) => ({ name, value }));
  const context = await (await browser).newContext({
    ...(localStorage.length > 0 && {
      storageState: { cookies: [], origins: [{ origin: new URL(address).origin, localStorage }] },
    }),
    viewport: { width, height },
    colorScheme,
    reducedMotion: 'reduce',
    locale,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const complaints = watch(page, new Set([address, ...origins].map((one) => new URL(one).origin)));
  await page.goto(address);
  return { page, complaints, close: () => context.close() };
}

/** Closes the browser at the end of a test file. */
export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
  browser = null;
}

function watch(page: Page, origins: ReadonlySet<string>): Complaints {
  const complaints: Complaints = { console: [], elsewhere: [], failed: [] };
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return;
    // Chromium's own line about a response that is already among the failed ones.
    if (message.text().startsWith('Failed to load resource')) return;
    complaints.console.push(message.text());
  });
  page.on('pageerror', (error) => complaints.console.push(error.message));
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (/^https?:$/.test(protocol) && !origins.has(origin)) complaints.elsewhere.push(request.url());
  });
  page.on('response', (response) => {
    if (response.status() >= 400)
      complaints.failed.push(`${response.status()} ${response.request().method()} ${response.url()}`);
  });
  page.on('requestfailed', (request) => {
    // A page that is left cancels its pending requests.
    const reason = request.failure()?.errorText ?? '';
    if (reason !== 'net::ERR_ABORTED')
      complaints.failed.push(`${reason} ${request.method()} ${request.url()}`);
  });
  return complaints;
}

/** A rule of axe-core that the page breaks, and where. */
export type Violation = { rule: string; help: string; where: string[] };

const axeSource = (): string =>
  readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Checks the current page against WCAG 2.2 A and AA and axe-core's best practices.
 * @param rules `only` runs these rules alone, and `except` leaves rules out. The test gives the reason.
 */
export async function axe(
  page: Page,
  { only, except = [] }: { only?: string[]; except?: string[] } = {},
): Promise<Violation[]> {
  // The script is evaluated, not loaded, because the page's content security policy allows only its own scripts.
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axeSource());
  const options = {
    rules: Object.fromEntries(except.map((rule) => [rule, { enabled: false }])),
    ...(only !== undefined && { runOnly: only }),
  };
  type Found = { id: string; help: string; nodes: { target: unknown[] }[] };
  const violations = await page.evaluate<Found[]>(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  );
  return violations.map(({ id, help, nodes }) => ({
    rule: id,
    help,
    where: nodes.map(({ target }) => target.map(String).join(' ')),
  }));
}
