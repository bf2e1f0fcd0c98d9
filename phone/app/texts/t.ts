// Shows a sentence in the user's language. The English sentence stays where it is read, and is the key of its translation.
import { language } from './language.ts';
import { portuguese } from './portuguese.ts';

export type Sentence = keyof typeof portuguese;

/** The names between braces: `name` in `Copy {name}`. */
type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** A sentence without names takes no values. */
type ValuesOf<Text extends Sentence> = [NamesIn<Text>] extends [never]
  ? []
  : [values: Record<NamesIn<Text>, string | number>];

/**
 * Returns the sentence in the user's language.
 * @param sentence the English sentence. A sentence without a translation does not compile.
 * @param values the values that replace the names between braces, already in the user's language.
 * @example t('Pay {cost}', { cost: '£10.50' })
 */
export function t<Text extends Sentence>(sentence: Text, ...[values]: ValuesOf<Text>): string {
  const named: Record<string, string | number> = values ?? {};
  return translated(sentence).replaceAll(/\{(\w+)\}/g, (_braces, name: string) => String(named[name]));
}

/** Translates a sentence of the client, which the compiler does not know. A sentence without a translation stays English. */
export const translated = (sentence: string): string =>
  language === 'pt-BR' && Object.hasOwn(portuguese, sentence) ? portuguese[sentence as Sentence] : sentence;
