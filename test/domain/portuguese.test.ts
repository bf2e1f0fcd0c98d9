// The sentences in Portuguese next to those in English.
import { describe, expect, test } from 'vitest';
import { failureCodes, sentenceOf } from '../../src/domain/failure-reasons.ts';
import { type Language, languages } from '../../src/domain/language.ts';
import {
  type PayoutFailure,
  payoutFailureCodes,
  payoutFailureSentence,
  payoutFailures,
  payoutLimits,
} from '../../src/domain/payout-failures.ts';
import {
  failureReasonsInPortuguese,
  payoutFailuresInPortuguese,
  refusalsInPortuguese,
} from '../../src/domain/portuguese.ts';
import { refusalSentence, refusals } from '../../src/domain/refusals.ts';

type Said = { name: string; in: (language: Language) => string | null };

const refusalCodes = Object.keys(refusals) as (keyof typeof refusals)[];
const ofRefusals: Said[] = refusalCodes.map((code) => ({
  name: `the refusal ${code}`,
  in: (language) => refusalSentence(code, language),
}));
const ofFailures: Said[] = failureCodes.map((code) => ({
  name: `the failure ${code}`,
  in: (language) => sentenceOf(code, language),
}));
const payoutReasons: Pick<PayoutFailure, 'code' | 'limit'>[] = [
  ...payoutFailureCodes.map((code) => ({ code, limit: null })),
  ...payoutLimits.map((limit) => ({ code: 'limit_reached' as const, limit })),
];
const ofPayouts: Said[] = payoutReasons.map((reason) => ({
  name: `the payout failure ${reason.limit ?? reason.code}`,
  in: (language) => payoutFailureSentence(reason, language),
}));
const all = [...ofRefusals, ...ofFailures, ...ofPayouts];
const sentences = all.filter(({ name }) => name !== 'the refusal quote_expired');

test('the file of Portuguese sentences has every code, and no other', () => {
  expect(Object.keys(refusalsInPortuguese).toSorted()).toEqual(refusalCodes.toSorted());
  expect(Object.keys(payoutFailuresInPortuguese).toSorted()).toEqual(Object.keys(payoutFailures).toSorted());
  expect(Object.keys(failureReasonsInPortuguese).toSorted()).toEqual(failureCodes.toSorted());
});

describe.each(sentences)('$name', (said) => {
  test('a code has a whole sentence in every language, and each language has its own', () => {
    const texts = languages.map((language) => said.in(language));
    for (const text of texts) expect(text).toMatch(/^\p{Lu}.+\.$/u);
    expect(new Set(texts).size).toBe(languages.length);
  });

  test('a sentence in Portuguese speaks as a Brazilian bank does', () => {
    const text = said.in('pt-BR');
    // The words of Portugal, the foreign spelling of the brand, and the straight quotation marks of code.
    expect(text).not.toMatch(/\b(PIX|por favor|utilizador|levantamento|telemóvel|ecrã)\b|["'`]/);
    // Words that the sentences in English avoid, because they show how a payment is made.
    expect(text).not.toMatch(/usdc|stablecoin|cripto|perna|provedor/i);
  });
});

/** The names of the sentences that have the same text, for each text. */
const alike = (language: Language): string[] =>
  [...Map.groupBy(sentences, (said) => said.in(language)).values()]
    .map((group) => group.map(({ name }) => name).join(', '))
    .toSorted();

test('two codes share a sentence in Portuguese exactly if they share it in English', () => {
  expect(alike('pt-BR')).toEqual(alike('en'));
});

test('an expired quote is refused with the same word in every language', () => {
  expect(languages.map((language) => refusalSentence('quote_expired', language))).toEqual([
    'quote_expired',
    'quote_expired',
  ]);
});

test('a sentence in Portuguese offers another try exactly if a retry helps', () => {
  for (const reason of payoutReasons) {
    const sentence = payoutFailureSentence(reason, 'pt-BR');
    const { retryHelps } = payoutFailures[reason.limit ?? reason.code];
    expect([sentence, sentence.includes('é possível tentar de novo')]).toEqual([sentence, retryHelps]);
    expect([sentence, sentence.includes('não adianta pagar de novo')]).toEqual([sentence, !retryHelps]);
  }
});

test('nothing is said of a payment that has not failed', () => {
  expect(languages.map((language) => sentenceOf(null, language))).toEqual([null, null]);
});
