// The accepted webhook secrets, stored in the database as hashes. During a rotation every process accepts both secrets, whichever
// of them is in its configuration.
import { hash as digest } from 'node:crypto';
import type { Clock } from '../domain/clock.ts';
import { inDbTransaction } from '../platform/database/db-transaction.ts';
import type { Db } from '../tables/orm.ts';
import {
  listAcceptedHashes,
  makeSecretCurrent,
  retireOtherSecrets,
} from '../tables/webhook-secrets/statements.ts';

/** How long a secret is accepted after another one has replaced it. */
const FORMER_ACCEPTED_MS = 7 * 24 * 60 * 60_000;

/** How long a process may use the hashes that it has read, in milliseconds. */
export const ACCEPTED_KNOWN_MS = 1_000;

export const sha256 = (text: string): Buffer => digest('sha256', text, 'buffer');

/** Returns the hash of a secret as the database stores it. */
export const hashText = (secret: string): string => sha256(secret).toString('hex');

/** Returns the URL for the provider's callbacks under this secret. It must not be logged. */
export const callbackUrl = (publicBaseUrl: string, secret: string): string =>
  `${publicBaseUrl}/webhooks/provider/${secret}`;

/**
 * Returns a function that returns the accepted hashes. It reads them again after a second. If the database does not
 * answer, it returns the last ones.
 */
export function createAcceptedSecrets(db: Db, clock: Clock): () => Promise<Buffer[]> {
  let hashes: Promise<Buffer[]> = Promise.resolve([]);
  let readAt = Number.NEGATIVE_INFINITY;
  const read = async (): Promise<Buffer[]> => {
    const rows = await listAcceptedHashes(db, { now: clock.now() });
    return rows.map(({ hash }) => Buffer.from(hash, 'hex'));
  };
  return () => {
    const now = performance.now();
    if (now - readAt >= ACCEPTED_KNOWN_MS) {
      const before = hashes;
      readAt = now;
      hashes = read().catch(() => before);
    }
    return hashes;
  };
}

/**
 * Makes the configured secret the current one, if a rotation has prepared it. The other secrets are
 * then accepted for seven more days.
 * @returns whether this process made the change.
 */
export function adoptConfiguredSecret(db: Db, configured: string, now: Date): Promise<boolean> {
  const hash = hashText(configured);
  return inDbTransaction(db, async (tx) => {
    if ((await makeSecretCurrent(tx, { hash })) !== 1) return false;
    await retireOtherSecrets(tx, { hash, acceptedUntil: new Date(now.getTime() + FORMER_ACCEPTED_MS) });
    return true;
  });
}
