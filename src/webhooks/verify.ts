// Whether a callback comes from the provider, in two steps. The secret in the path is always checked first, before
// anything of the body is read: so a caller without it costs only a comparison, and no strategy can leave it out. A
// strategy then receives the whole request, because a signature covers the bytes, and often headers, too.

import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { sha256 } from './secrets.ts';

/** Resolves to whether this secret in the path is one of ours. */
export type AcceptsSecret = (secret: string) => Promise<boolean>;

/**
 * The strategy: replace it in create-app.ts by one that knows the provider's signature scheme. It is called once for
 * each callback whose secret is right, with the bytes exactly as received, before they are parsed. False is answered
 * like a wrong secret. Compare signatures with `timingSafeEqual`.
 */
export type WebhookVerifier = {
  isFromProvider: (callback: {
    secret: string;
    headers: IncomingHttpHeaders;
    rawBody: Buffer;
  }) => Promise<boolean>;
};

/** No signature scheme is in use today: the secret in the path is the only proof, and it is compared a second time. */
export const pathSecretVerifier = (acceptsSecret: AcceptsSecret): WebhookVerifier => ({
  isFromProvider: ({ secret }) => acceptsSecret(secret),
});

/**
 * Every hash is compared, so the time reveals neither length nor prefix nor which one matched.
 * @param others the hashes of the secrets that are accepted beside the configured one.
 */
export function createAcceptsSecret(configured: string, others: () => Promise<Buffer[]>): AcceptsSecret {
  const expected = sha256(configured);
  return async (secret) => {
    const given = sha256(secret);
    const accepted = [expected, ...(await others())];
    return accepted.filter((hash) => timingSafeEqual(hash, given)).length > 0;
  };
}
