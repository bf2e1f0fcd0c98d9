// The phone in Portuguese, in a browser and against the real service: a whole journey, every screen, and the choice of the language.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { pay, reaches } from '../../harness/people/person.ts';
import { portuguese } from '../../phone/app/texts/portuguese.ts';
import { browserPath, type Opened } from '../support/browser.ts';
import {
  arrivesAt,
  factsOn,
  follow,
  keep,
  openPhone,
  openPhoneAs,
  press,
  reads,
  showsStatus,
  usePhone,
  wealthyPerson,
} from '../support/phone.ts';
import { until } from '../support/until.ts';

const NO_COMPLAINTS = { console: [], elsewhere: [], failed: [] };
const LOCALE = { locale: 'pt-BR' };
/** What a person reads or hears of a page, line by line. */
const READ = `[
  document.title,
  ...document.querySelector('#phone').innerText.split('\\n'),
  ...[...document.querySelectorAll('[aria-label], [placeholder]')].flatMap((one) =>
    [one.getAttribute('aria-label'), one.getAttribute('placeholder')].filter((text) => text !== null)),
  ...[...document.querySelectorAll('.unseen, option')].map(({ textContent }) => textContent),
].map((line) => line.trim()).filter((line) => line !== '')`;

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Recognises each English sentence with any values. A single word is recognised only as a whole line. */
const english = Object.entries(portuguese)
  .filter(([sentence, translation]) => sentence !== translation)
  .map(([sentence]) => ({ sentence, parts: sentence.split(/\{\w+\}/) }))
  .filter(({ parts }) => parts.some((part) => /\p{L}/u.test(part)))
  .map(({ sentence, parts }) => {
    const text = parts.map(escaped).join('.+');
    return new RegExp(sentence.includes(' ') ? `(?<!\\p{L})${text}(?!\\p{L})` : `^${text}$`, 'u');
  });

const ENGLISH_WORDS = /\b(the|this|your|you|is|it|and|not|with|please|payment|account|money)\b/i;

const isEnglish = (line: string): boolean =>
  ENGLISH_WORDS.test(line) || english.some((pattern) => pattern.test(line));

const IS_WIDE = `[document.documentElement, document.querySelector('#phone')]
  .some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)`;

/** Returns the English lines of a screen, and whether it is too wide for a small phone: Portuguese is longer. */
async function faultsOf(page: Page): Promise<string[]> {
  const lines = await page.evaluate<string[]>(READ);
  if (lines.length < 4) return ['the screen is empty'];
  await page.setViewportSize({ width: 320, height: 640 });
  const isWide = await page.evaluate<boolean>(IS_WIDE);
  await page.setViewportSize({ width: 390, height: 844 });
  return [...lines.filter(isEnglish), ...(isWide ? ['it scrolls sideways'] : [])];
}

const checkScreen = async (page: Page): Promise<void> => expect(await faultsOf(page)).toEqual([]);

const { world } = usePhone();

describe.skipIf(browserPath === null)('the phone in Portuguese', () => {
  test('a Brazilian gets from signing in to the receipt of a payment without reading English', async () => {
    const { page, complaints, close } = await openPhone(world, LOCALE);
    await arrivesAt(page, 'Ponte');
    expect(await page.evaluate('document.documentElement.lang')).toBe('pt-BR');
    await checkScreen(page);
    await page.getByLabel('E-mail').fill('brasileira@example.com');
    await press(page, 'Continuar com o Google');
    await arrivesAt(page, 'Sua moeda');
    await checkScreen(page);
    await press(page, 'Escolher libras');
    await arrivesAt(page, 'Olá, Ada');
    await reads(page, 'Nada por enquanto.');
    await checkScreen(page);

    await follow(page, 'Verificar minha identidade');
    await arrivesAt(page, 'Sua identidade');
    await reads(page, 'Precisamos saber quem é você');
    await checkScreen(page);
    await press(page, 'Verificar minha identidade');
    // The provider's page is in English.
    await page.getByLabel('Full name').fill('Ada Silva');
    await page.getByLabel('E-mail').fill('ada@example.com');
    await press(page, 'Verify me');
    await follow(page, 'Back to the app');
    await reads(page, 'Sua conta está aberta');
    await checkScreen(page);

    await follow(page, 'Depositar');
    await page.getByLabel('Valor').fill('1.500,00');
    await press(page, 'Fazer um depósito');
    await reads(page, 'O dinheiro chegou.');
    await checkScreen(page);
    await follow(page, 'Ver seu saldo');
    await reads(page, '£\u00A01.500,00');
    await reads(page, 'Do celular');
    await checkScreen(page);

    await follow(page, 'Pagar');
    await page.getByLabel('Chave Pix').check();
    await page.getByLabel('Tipo de chave').selectOption('email');
    await page.getByRole('textbox', { name: 'Chave Pix' }).fill('joana@pix.example');
    await checkScreen(page);
    await press(page, 'Continuar');
    await arrivesAt(page, 'Qual é o valor?');
    await page.getByLabel('O destinatário recebe').fill('mil');
    await press(page, 'Ver a cotação');
    await reads(page, 'Informe um valor, como 25,00.');
    await checkScreen(page);
    await page.getByLabel('O destinatário recebe').fill('1.250');
    await press(page, 'Ver a cotação');
    await arrivesAt(page, 'Confirmar');
    await reads(page, 'Joana Lima');
    await reads(page, 'R$\u00A01.250,00');
    await reads(page, /^£\s\d,\d\d \(1%\)$/);
    await reads(page, /Esta cotação vale por \d+ s/);
    await checkScreen(page);
    await press(page, /^Pagar £\s\d{3},\d\d$/);
    await showsStatus(page, 'completed');
    await reads(page, 'ID da transação');
    expect(await factsOn(page)).toMatchObject({
      Custo: expect.stringMatching(/^£\s\d{3},\d\d$/) as string,
      Destinatário: 'Joana Lima',
      'Taxa de câmbio': expect.stringMatching(/^1 GBP = \d,\d{4} BRL$/) as string,
    });
    await checkScreen(page);

    await follow(page, 'Comprovante para o destinatário');
    await reads(page, 'Horário de Brasília');
    expect(await factsOn(page)).toMatchObject({
      De: 'Ada Silva',
      Para: 'Joana Lima',
      'Horário de Brasília': expect.stringMatching(
        /^\d{1,2} de \p{Ll}+ de \d{4}, \d\d:\d\d:\d\d$/u,
      ) as string,
    });
    await checkScreen(page);
    expect(complaints).toEqual(NO_COMPLAINTS);
    await close();
  });

  test('the language is chosen at the sign-in and in the account, and stays after signing out', async () => {
    const { page, close } = await openPhone(world);
    const language = (): Promise<string> => page.evaluate('document.documentElement.lang');
    await arrivesAt(page, 'Ponte');
    expect(await language()).toBe('en');
    await press(page, 'Português');
    await page.getByRole('button', { name: 'Continuar com a Apple' }).waitFor();
    expect(await language()).toBe('pt-BR');
    await page.getByLabel('E-mail').fill('bilingue@example.com');
    const sent = page.waitForRequest((request) => request.url().endsWith('/auth/session'));
    await press(page, 'Continuar com a Apple');
    expect(await (await sent).headerValue('accept-language')).toBe('pt-BR');
    await press(page, 'Escolher libras');
    await follow(page, 'Conta');
    await press(page, 'Sair');
    await page.reload();
    await reads(page, 'Libras e euros aqui.');
    await press(page, 'English');
    await reads(page, 'Pounds and euros here.');
    await page.getByLabel('E-mail').fill('bilingue@example.com');
    await press(page, 'Continue with Apple');
    await follow(page, 'Account');
    expect(await page.getByRole('button', { name: 'English' }).getAttribute('aria-pressed')).toBe('true');
    await press(page, 'Português');
    await arrivesAt(page, 'Conta');
    await close();
  });
});

const DRAFT = {
  pixKey: 'joana@pix.example',
  pixKeyType: 'email',
  recipientName: null,
  amountBrl: '25.50',
  isAmountFixed: false,
};

describe.skipIf(browserPath === null)('each screen in Portuguese', () => {
  let sessionToken = '';
  const ids = { completed: '', failed: '', unknown: '', returned: '', withdrawal: '' };
  beforeAll(async () => {
    if (browserPath === null) return;
    const rich = await wealthyPerson(world, '850.00');
    const paid = async (key: string, status: Parameters<typeof reaches>[2]): Promise<string> => {
      const id = await pay(rich.person, 25, { pixKey: `${key}@pix.example`, pixKeyType: 'email' });
      await reaches(rich.person, id, status);
      return id;
    };
    ({ sessionToken } = rich);
    ids.completed = await paid('joana', 'completed');
    ids.failed = await paid('fail', 'payout_failed');
    ids.unknown = await paid('unknown', 'payout_failed');
    ids.returned = await paid('return', 'manual_review');
    const account = { accountHolderName: 'Ada Silva', sortCode: '12-34-56', accountNumber: '12345678' };
    await rich.person.ponte.saveBankDetails({ currency: 'GBP', ...account });
    ids.withdrawal = (await rich.person.ponte.withdraw(10_000)).id;
  });

  const open = (route: string): Promise<Opened> => openPhoneAs(world, sessionToken, { route, ...LOCALE });

  test('no screen shows an English sentence, or scrolls sideways on a small phone', async () => {
    const { page, close } = await open('/');
    await keep(page, 'draft', DRAFT);
    const faults: Record<string, string[]> = {};
    for (const [route, text] of [
      ['/', 'Devolvido: R$'],
      ['/verify', 'Sua conta está aberta'],
      ['/add-money', 'Ver sua conta no console'],
      ['/pay', 'Usar o código de exemplo'],
      ['/pay/amount', 'Seu saldo: £'],
      ['/pay/confirm', 'Esta cotação vale por'],
      [`/payments/${ids.completed}`, 'Ver o pagamento no console'],
      [`/receipts/${ids.returned}`, 'Número para o atendimento'],
      [`/payments/${ids.failed}`, 'Enviar de novo'],
      [`/payments/${ids.unknown}`, 'Próximos passos'],
      [`/payments/${ids.returned}`, 'Devolvido'],
      ['/withdraw', 'Alterar a conta bancária'],
      [`/transactions/${ids.withdrawal}`, 'O nome corresponde à conta'],
      ['/bank-details', 'Código do banco (sort code)'],
      ['/history', 'Pagamento Pix recebido'],
      ['/find/E0000', 'Nada aqui tem este ID'],
      ['/account', 'Cliente desde'],
      ['/account/data', 'Uma cópia dos meus dados'],
      ['/account/close', 'Ainda há £'],
      ['/withdraw/sending', 'Não há nenhum pagamento aqui'],
    ] as const) {
      await page.goto('about:blank');
      await page.goto(`${world.sandboxUrl}/phone/#${route}`);
      await reads(page, text);
      await until(
        () => page.locator('.loading').count(),
        (count) => count === 0,
      );
      const found = await faultsOf(page);
      if (found.length > 0) faults[route] = found;
    }
    expect(faults).toEqual({});
    await close();
  });

  test('an amount in a code, a wrong field and an unreadable code are said in Portuguese', async () => {
    const { page, close } = await open('/pay');
    await page.getByRole('textbox', { name: 'Código Pix' }).fill('não é um código');
    await press(page, 'Continuar');
    await reads(page, /^Não é possível pagar este código\. /);
    await checkScreen(page);
    await page.getByLabel('Já pagos').check();
    await reads(page, 'joana@pix.example');
    await checkScreen(page);
    await keep(page, 'draft', DRAFT);
    await page.goto('about:blank');
    await page.goto(`${world.sandboxUrl}/phone/#/pay/amount`);
    expect(await page.getByLabel('O destinatário recebe').inputValue()).toBe('25,50');
    await page.goto(`${world.sandboxUrl}/phone/#/bank-details`);
    await press(page, 'Salvar');
    await reads(page, 'O número da conta tem oito dígitos.');
    await checkScreen(page);
    await page.route('**/withdraws', (request) => request.abort());
    await keep(page, 'withdrawal', { amount: 1_000, idempotencyKey: crypto.randomUUID() });
    await page.goto('about:blank');
    await page.goto(`${world.sandboxUrl}/phone/#/withdraw`);
    await reads(page, 'Não sabemos se sua retirada chegou até nós.');
    await checkScreen(page);
    await close();
  });
});
