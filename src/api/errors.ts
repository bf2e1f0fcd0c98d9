// Maps a thrown error to the refusal that the client receives.

import { invalid, Refusal } from '../domain/refusals.ts';
import { isDatabaseUnreachable } from '../platform/database/unreachable.ts';
import { OutcomeUnknown, ProviderRefusal } from '../provider/errors.ts';

/**
 * Returns a Refusal unchanged. Maps any other error to `invalid_request`, `provider_unavailable`,
 * `unavailable` or `internal_error`.
 */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof URIError) return invalid('/path', 'holds an escape that is not UTF-8');
  if (error instanceof OutcomeUnknown || error instanceof ProviderRefusal)
    return new Refusal('provider_unavailable', undefined, { cause: error });
  if (isDatabaseUnreachable(error)) return new Refusal('unavailable', undefined, { cause: error });
  return new Refusal('internal_error', undefined, { cause: error });
}
