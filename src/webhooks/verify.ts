// Whether a callback comes from the provider. A strategy, so that a signature scheme can take its place one day.
import { timingSafeEqual } from 'node:crypto';
import { sha256 } from './secrets.ts';

export type WebhookVerifier = { isFromProvider: (request: { secret: string }) => Promise<boolean> };

/**
 * Today the secret in the path is the only proof. Hashes are compared, each of them, so neither length nor prefix nor which
 * one it was shows in the time.
 * @param others the hashes of the secrets that are accepted beside the configured one.
 */
export function pathSecretVerifier(configured: string, others: () => Promise<Buffer[]>): WebhookVerifier {
  const expected = sha256(configured);
  return {
    isFromProvider: async ({ secret }) => {
      const given = sha256(secret);
      const accepted = [expected, ...(await others())];
      return accepted.filter((hash) => timingSafeEqual(hash, given)).length > 0;
    },
  };
}
