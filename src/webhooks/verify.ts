// Verifies that a callback comes from the provider, in two steps. The secret in the path is always checked first, before the body
// is read: a caller without it costs only a comparison, and no strategy can omit this check. A strategy then receives the whole
// request, because a signature covers the bytes, and often headers as well.

import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { sha256 } from './secrets.ts';

/** Resolves to whether this secret from the path is accepted. */
export type AcceptsSecret = (secret: string) => Promise<boolean>;

/**
 * A verification strategy. To use the provider's signature scheme, replace it in create-app.ts. It is called once for each callback
 * whose secret is accepted, with the bytes exactly as received, before they are parsed. False is answered like a wrong secret.
 * Compare signatures with `timingSafeEqual`.
 */
export type WebhookVerifier = {
  isFromProvider: (callback: {
    secret: string;
    headers: IncomingHttpHeaders;
    rawBody: Buffer;
  }) => Promise<boolean>;
};

/** Creates the strategy without a signature scheme: the secret in the path is the only proof, and it is compared a second time. */
export const pathSecretVerifier = (acceptsSecret: AcceptsSecret): WebhookVerifier => ({
  isFromProvider: ({ secret }) => acceptsSecret(secret),
});

/**
 * Creates the check of the secret in the path. It compares every hash, so its time reveals neither the length nor a prefix of the
 * secret, nor which hash matched.
 * @param others returns the hashes of the secrets that are accepted in addition to the configured one.
 */
export function createAcceptsSecret(configured: string, others: () => Promise<Buffer[]>): AcceptsSecret {
  const expected = sha256(configured);
  return async (secret) => {
    const hashed = sha256(secret);
    const accepted = [expected, ...(await others())];
    return accepted.filter((hash) => timingSafeEqual(hash, hashed)).length > 0;
  };
}
