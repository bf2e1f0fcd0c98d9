// One hostile ID token: its name, and how it is made out of an honest one.
import { type Change, forge } from '../forge.ts';
import type { Issuer } from '../issuer.ts';

export type Parties = {
  /** The issuer it claims, and the other one that the service trusts as well. */
  own: Issuer;
  other: Issuer;
  /** Keys that were never published, at an address that must never be fetched. */
  attacker: Issuer;
  sessionToken: string;
  sessionSecret: string;
};

/** A name, and the token; or only what is changed in an honest RS256 token. */
export type Case = [what: string, make: Change | ((parties: Parties) => string)];
export type Hostile = [what: string, make: (parties: Parties) => string];

export const NUL = '\u0000';
export const now = () => Math.floor(Date.now() / 1000);

export const made =
  (change: (parties: Parties) => Change) =>
  (parties: Parties): string =>
    forge(parties.own.base(), change(parties));
export const onCurve =
  (change: (parties: Parties) => Change) =>
  (parties: Parties): string =>
    forge(parties.own.base(parties.own.ec), change(parties));
