// The accepted webhook secrets in the database, as hashes: during a rotation every process accepts both secrets,
// whichever it is configured with.
import { hash as digest } from 'node:crypto';
import type { Db } from '../database/orm.ts';
import { inTransaction } from '../database/transaction.ts';
import { listAcceptedHashes, makeSecretCurrent, retireOtherSecrets } from '../sql/webhook-secrets.ts';
import type { Clock } from '../time/clock.ts';

/** A secret is accepted for so long after another has replaced it. */
const FORMER_ACCEPTED_MS = 7 * 24 * 60 * 60_000;

/** How long a process may use its last read, in milliseconds. */
export const ACCEPTED_KNOWN_MS = 1_000;

export const sha256 = (text: string): Buffer => digest('sha256', text, 'buffer');

/** As stored in the database. */
export const hashText = (secret: string): string => sha256(secret).toString('hex');

/** Where the provider is to send its callbacks under this secret. Never for a log. */
export const callbackUrl = (publicBaseUrl: string, secret: string): string =>
  `${publicBaseUrl}/webhooks/provider/${secret}`;

/** @returns the hashes accepted now, read again after a second; the last ones read where the database does not answer. */
export function createAcceptedSecrets(db: Db, clock: Clock): () => Promise<Buffer[]> {
  let known: Promise<Buffer[]> = Promise.resolve([]);
  let readAt = Number.NEGATIVE_INFINITY;
  const read = async (): Promise<Buffer[]> => {
    const rows = await listAcceptedHashes(db, { now: clock.now() });
    return rows.map(({ hash }) => Buffer.from(hash, 'hex'));
  };
  return () => {
    const now = performance.now();
    if (now - readAt >= ACCEPTED_KNOWN_MS) {
      const before = known;
      readAt = now;
      known = read().catch(() => before);
    }
    return known;
  };
}

/**
 * A process that starts with the secret that a rotation prepared makes it the current one: from then on the others are
 * accepted for seven days more.
 * @returns whether it was this process that did.
 */
export function adoptConfiguredSecret(db: Db, configured: string, now: Date): Promise<boolean> {
  const hash = hashText(configured);
  return inTransaction(db, async (tx) => {
    if ((await makeSecretCurrent(tx, { hash })) !== 1) return false;
    await retireOtherSecrets(tx, { hash, acceptedUntil: new Date(now.getTime() + FORMER_ACCEPTED_MS) });
    return true;
  });
}
