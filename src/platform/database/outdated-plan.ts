// Detects prepared statements that a schema change made outdated while the service runs. PostgreSQL refuses a prepared
// statement if its result now has other columns than when it was prepared. It refuses before executing, so the statement can
// be prepared again and repeated.

/** `feature_not_supported`, which the server also uses for many other errors. */
const FEATURE_NOT_SUPPORTED = '0A000';
/**
 * The server's function that reports "cached plan must not change result type". Its name does not depend on the message's language.
 */
const REVALIDATION = 'RevalidateCachedQuery';

export const isPlanOutdated = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === FEATURE_NOT_SUPPORTED &&
  'routine' in error &&
  error.routine === REVALIDATION;
