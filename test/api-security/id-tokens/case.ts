// The types of a hostile ID token: its name, and how it is made out of an honest one.
import { type Change, forge } from '../forge.ts';
import type { Issuer } from '../issuer.ts';

export type Parties = {
  /** The issuer that the token claims, and the other issuer that the service trusts. */
  own: Issuer;
  other: Issuer;
  /** An issuer whose keys were never published, at an address that must never be fetched. */
  attacker: Issuer;
  sessionToken: string;
  sessionSecret: string;
};

/** A name with the token, or with only the changes to an honest RS256 token. */
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
