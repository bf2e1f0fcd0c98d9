// ID tokens that prove nothing. Each differs from one that is accepted in the one thing it is named for.
import type { Base } from '../forge.ts';
import { confusedAlgorithms, unsigned } from './algorithms.ts';
import { type Hostile, made, type Parties } from './case.ts';
import { audiences, issuers, subjects, times } from './claims.ts';
import { broughtAlong, critical, keyIds, otherTypes } from './headers.ts';
import { otherTokens } from './other-tokens.ts';
import { signatures } from './signatures.ts';
import { contents, spellings } from './spellings.ts';

/** The names are unique; each case stands for one token of either provider. */
export const hostileIdTokens: Hostile[] = [
  ...confusedAlgorithms,
  ...unsigned,
  ...keyIds,
  ...broughtAlong,
  ...critical,
  ...otherTypes,
  ...audiences,
  ...issuers,
  ...times,
  ...subjects,
  ...spellings,
  ...contents,
  ...signatures,
  ...otherTokens,
].map(([what, make]): Hostile => [what, typeof make === 'function' ? make : made(() => make)]);

/** Tokens that are accepted, and of which everything hostile is one change away. */
export const honestIdTokens: [what: string, make: (parties: Parties) => Base][] = [
  ['by an RSA key', ({ own }) => own.base()],
  ['by a key on a curve', ({ own }) => own.base(own.ec)],
];
