// Recognises errors that mean that the database cannot serve at the moment: neither the statement nor this code is wrong.

const goneCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  '08000',
  '08003',
  '08006',
  // PgBouncer uses this code if it cannot serve: no server, no free connection in time, or its own shutdown.
  '08P01',
  // A read-only server: a standby, or the former primary after a failover.
  '25006',
  // Deadlines that the service sets: for an idle transaction here, and for locks, statements and idle sessions below.
  '25P03',
  '53100',
  '53200',
  '53300',
  '55P03',
  '57014',
  '57P01',
  '57P02',
  '57P03',
  '57P05',
]);

/**
 * A worker of Citus was lost during a statement or a commit. The coordinator sends these sentences with the code of an internal error;
 * its other sentences about a lost worker have the code 08006.
 */
const WORKER_LOST = /^failure on connection marked as essential|^could not commit transaction for shard/;

/**
 * Returns whether an error is transient: the database cannot be reached, is shutting down, read-only or out of
 * resources, or a deadline passed.
 */
export function isDatabaseUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && goneCodes.has(String(error.code))) return true;
  if (WORKER_LOST.test(error.message)) return true;
  if (
    /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/.test(
      error.message,
    )
  )
    return true;
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnreachable);
  return error.cause !== undefined && isDatabaseUnreachable(error.cause);
}
