// Patches Kysely 0.29.6: its end waits for connections that are being opened. Kysely forgets its pool first, so a connection that is
// opened a moment later fails in its hands and is never given back: then the pool waits for it for ever.
// Gain: a process that stops while it claims work closes the database, and does not wait in vain.
import { type DatabaseConnection, type Driver, PostgresDriver } from 'kysely';
import type { Pool } from 'pg';

export const createDriver = (pool: Pool): Driver => new AwaitingDriver({ pool });

class AwaitingDriver extends PostgresDriver {
  readonly #opening = new Set<Promise<DatabaseConnection>>();

  override async acquireConnection(): Promise<DatabaseConnection> {
    const opening = super.acquireConnection();
    this.#opening.add(opening);
    try {
      return await opening;
    } finally {
      this.#opening.delete(opening);
    }
  }

  /** No further one is asked for by then. */
  override async destroy(): Promise<void> {
    await Promise.allSettled(this.#opening);
    await super.destroy();
  }
}
