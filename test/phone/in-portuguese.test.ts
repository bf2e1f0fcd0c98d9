// How the phone reads and writes amounts, dates and sentences in a browser of a Brazilian.
import { expect, test, vi } from 'vitest';

vi.stubGlobal('localStorage', { getItem: () => null });
vi.stubGlobal('navigator', { languages: ['fr-FR', 'pt-PT', 'en-GB'] });
const { decimalOf, formatBrl, formatMinor, formatPercent, formatRate, readAmount, typedOf } = await import(
  '../../phone/app/money.ts'
);
const { dateOf, dayOf, momentOf, saoPauloMomentOf, timeOf, whenOf } = await import(
  '../../phone/app/dates.ts'
);
const { t, translated } = await import('../../phone/app/texts/t.ts');

const now = new Date('2026-03-01T09:30:00');

test.each([
  ['12', 1_200],
  ['12,5', 1_250],
  ['12,50', 1_250],
  ['1.250', 125_000],
  ['1.250,00', 125_000],
  ['1.250,5', 125_050],
  ['1.234.567,89', 123_456_789],
  ['R$ 19,99', 1_999],
  ['0,07', 7],
  // As in English, where only one reading is possible.
  ['12.5', 1_250],
  ['12.50', 1_250],
  ['1,250.00', 125_000],
  ['1,234,567', 123_456_700],
])('the typed amount %s is read as %d minor units', (text, minor) => {
  expect(readAmount(text)).toBe(minor);
});

test.each(['', '0', '0,00', '-1', '1,005', '1,250', '0.250', '12.345,6,7', '1.23,45', '12.3456', 'dez'])(
  'the typed text %j is not an amount',
  (text) => {
    expect(readAmount(text)).toBeNull();
  },
);

test.each([1, 99, 100, 1_005, 125_000, Number.MAX_SAFE_INTEGER])(
  '%d minor units are read as they were written',
  (minor) => {
    expect(readAmount(typedOf(decimalOf(minor)))).toBe(minor);
  },
);

test('money, rates and percentages have a decimal comma', () => {
  expect(formatMinor(123_456_789, 'GBP')).toBe('£\u00A01.234.567,89');
  expect(formatMinor(-5, 'EUR')).toBe('-€\u00A00,05');
  expect(formatBrl('70368744177663.99')).toBe('R$\u00A070.368.744.177.663,99');
  expect(formatRate(7.0522, 'GBP')).toBe('1 GBP = 7,0522 BRL');
  expect(formatPercent(125)).toBe('1,25%');
  expect(formatPercent(100)).toBe('1%');
});

test.each([
  ['2026-03-01T00:00:00', 'Hoje', 'Hoje, 00:00'],
  ['2026-02-28T23:59:59', 'Ontem', 'Ontem, 23:59'],
  ['2026-02-27T14:05:00', 'sexta-feira, 27 de fevereiro', '27 de fev.'],
  ['2025-12-31T14:05:00', 'quarta-feira, 31 de dezembro de 2025', '31 de dez. de 2025'],
])('the phone writes %s as %s, and in a list as %s', (moment, day, when) => {
  expect(dayOf(moment, now)).toBe(day);
  expect(whenOf(moment, now)).toBe(when);
});

test('a receipt has the whole date and the time', () => {
  expect(timeOf('2026-03-01T09:30:59')).toBe('09:30');
  expect(dateOf('2026-03-01T09:30:00')).toBe('1 de março de 2026');
  expect(momentOf('2026-03-01T09:30:00')).toBe('1 de março de 2026, 09:30');
  expect(saoPauloMomentOf('2026-11-26T14:05:31-03:00')).toBe('26 de novembro de 2026, 14:05:31');
});

test('a sentence has its values, and an unknown sentence of the client stays English', () => {
  expect(t('Pay {cost}', { cost: '£ 10,50' })).toBe('Pagar £ 10,50');
  expect(t('Sign out')).toBe('Sair');
  expect(translated('Its amount cannot be read.')).toBe('Não foi possível ler o valor.');
  expect(translated('toString')).toBe('toString');
});
