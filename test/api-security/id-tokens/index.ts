// ID tokens that prove nothing. Each differs from an accepted one only in the thing that its name says.
import type { Base } from '../forge.ts';
import { confusedAlgorithms, unsigned } from './algorithms.ts';
import { type Hostile, made, type Parties } from './case.ts';
import { audiences, issuers, subjects, times } from './claims.ts';
import { broughtAlong, critical, keyIds, otherTypes } from './headers.ts';
import { otherTokens } from './other-tokens.ts';
import { signatures } from './signatures.ts';
import { contents, spellings } from './spellings.ts';

/** The hostile ID tokens. Their names are unique, and each case makes a token of either provider. */
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

/** Accepted tokens. Each hostile token differs from one of them in one thing. */
export const honestIdTokens: [what: string, make: (parties: Parties) => Base][] = [
  ['by an RSA key', ({ own }) => own.base()],
  ['by a key on a curve', ({ own }) => own.base(own.ec)],
];
