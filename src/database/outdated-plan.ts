// Schema changes while the service runs: PostgreSQL refuses a prepared statement whose result has other columns than when it was
// prepared. The refusal comes before the statement is executed, so that it can be prepared again and repeated.

/** `feature_not_supported`; the server has it for much else. */
const FEATURE_NOT_SUPPORTED = '0A000';
/** The server's function that says "cached plan must not change result type", in whichever language. */
const REVALIDATION = 'RevalidateCachedQuery';

export const isPlanOutdated = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === FEATURE_NOT_SUPPORTED &&
  'routine' in error &&
  error.routine === REVALIDATION;
