// Chooses the language of the sentences in a response, by the request's Accept-Language (RFC 9110, 12.5.4).
import type { IncomingMessage } from 'node:http';
import express, { type Response } from 'express';
import type { Language } from '../domain/language.ts';

/** Our languages by the primary subtag of a language tag: a reader of any Portuguese understands that of Brazil. */
const byPrimarySubtag = new Map<string, Language>([
  ['en', 'en'],
  ['*', 'en'],
  ['pt', 'pt-BR'],
]);

/** A longer header is ignored. Browsers and phones send fewer than 100 characters. */
const MAX_LENGTH = 1_000;

/** Returns our language that the reader prefers, and English if the reader names none of them. */
export function languageOf(request: IncomingMessage): Language {
  const { 'accept-language': header } = request.headers;
  if (header === undefined || header.length > MAX_LENGTH) return 'en';
  // Express's method reads any request of Node, and malformed HTTP never becomes a request of Express.
  const tags = express.request.acceptsLanguages.call(request) as unknown as string[];
  for (const tag of tags) {
    const language = byPrimarySubtag.get((tag.split('-', 1)[0] ?? '').toLowerCase());
    if (language) return language;
  }
  return 'en';
}

/** Sets the headers of a response that has sentences in this language. */
export const setLanguage = (response: Response, language: Language): Response =>
  response.set('Content-Language', language).vary('Accept-Language');
