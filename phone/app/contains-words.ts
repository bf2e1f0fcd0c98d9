// Compares texts as a person who looks for something does.

/** Returns whether the texts contain each word that a person looks for, in any order, any case and without accents. */
export const containsWords = (texts: string[], wanted: string): boolean => {
  const all = plain(texts.join(' '));
  return plain(wanted)
    .split(/\s+/)
    .every((word) => all.includes(word));
};

/** Lower case without accents: `João` becomes `joao`. */
const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/\p{Diacritic}/gu, '')
    .toLowerCase()
    .trim();
