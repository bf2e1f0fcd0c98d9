// The language of the phone: the one that the user chose on this device, or else the first of the browser's languages that it has.

/** The languages, by their own names. The keys are those of `Accept-Language` and of `<html lang>`. */
export const LANGUAGES = { en: 'English', 'pt-BR': 'Português' } as const;
export type Language = keyof typeof LANGUAGES;

/**
 * The name of the choice in local storage. It belongs to the device, so it lacks the prefix of everything that is kept for a user and that
 * signing out deletes.
 */
export const LANGUAGE_KEY = 'ponte-language';

export const language: Language = firstIn(wanted());

/** The locale of dates, numbers and money. */
export const locale: string = { en: 'en-GB', 'pt-BR': 'pt-BR' }[language];

/** Empty outside a browser, and where a browser keeps nothing. */
function wanted(): string[] {
  try {
    return [localStorage.getItem(LANGUAGE_KEY) ?? '', ...navigator.languages];
  } catch {
    return [];
  }
}

function firstIn(tags: string[]): Language {
  const first = tags.map((tag) => tag.toLowerCase()).find((tag) => /^(en|pt)\b/.test(tag));
  return first?.startsWith('pt') === true ? 'pt-BR' : 'en';
}
