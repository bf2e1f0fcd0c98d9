// Which errors mean that the database cannot serve for the moment: neither the statement nor this code is wrong.

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
  // PgBouncer's code for all that keeps it from serving: no server, no free connection in time, its own end.
  '08P01',
  // A standby, or the old primary after a failover: read-only.
  '25006',
  // Deadlines of ours: of a transaction left open, an idle session, a lock, a statement.
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

/** The database cannot be reached, is shutting down, or has no room for now: a transient fault. */
export function isDatabaseUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && goneCodes.has(String(error.code))) return true;
  if (
    /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/.test(
      error.message,
    )
  )
    return true;
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnreachable);
  return error.cause !== undefined && isDatabaseUnreachable(error.cause);
}
