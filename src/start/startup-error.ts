// Turns errors that an operator can act on into sentences, for a service that does not start or cannot continue.

import { isDatabaseUnreachable } from '../platform/database/unreachable.ts';
import { SchemaBeforeBaseline } from '../tables/schema/baseline.ts';
import { SchemaOutdated, VersionOutdated } from '../tables/schema/schema.ts';
import { ConfigurationError } from './config.ts';
import { CommitsNotDurable } from './durable-commits.ts';

/** Errors whose messages are written for operators. */
const tellable = [
  ConfigurationError,
  SchemaOutdated,
  SchemaBeforeBaseline,
  VersionOutdated,
  CommitsNotDurable,
];

/** Returns the sentence for an operator, or null for an unforeseen error, which is better printed completely. */
export function startupErrorMessage(error: unknown): string | null {
  if (tellable.some((kind) => error instanceof kind)) return (error as Error).message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === '25006')
    return 'The database at DATABASE_URL takes no writes: it is a standby, or no longer the primary.';
  if (code === '53100') return 'The database at DATABASE_URL has no room left on its disk.';
  if (code === '57014' || code === '55P03')
    return 'The database at DATABASE_URL did not finish a statement in time: it is busy, or another session holds a lock.';
  if (isDatabaseUnreachable(error)) return 'The database at DATABASE_URL cannot be reached. Is it running?';
  if (code === '42501') return `The login of DATABASE_URL may not do this: ${(error as Error).message}.`;
  if (code.startsWith('28') || code === '3D000')
    return 'The database at DATABASE_URL rejects the login: check its user, password and database name.';
  if (code === 'EADDRNOTAVAIL') return 'LISTEN_HOST or METRICS_HOST is not an address of this machine.';
  if (code === 'EADDRINUSE') return 'A port is taken. Set others with PORT and METRICS_PORT.';
  return null;
}
