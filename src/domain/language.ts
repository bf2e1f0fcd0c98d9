// The languages that the service writes sentences for users in.

/** The first one is for readers who accept none of them. Each is a tag of BCP 47. */
export const languages = ['en', 'pt-BR'] as const;

export type Language = (typeof languages)[number];
