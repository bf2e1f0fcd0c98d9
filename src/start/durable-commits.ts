// Checks that a commit is durable before the service relies on it.
import type { Db } from '../tables/orm.ts';
import { findCommitSetting } from '../tables/server.ts';
import type { App } from './app.ts';

/** Thrown if the server confirms commits that a crash of the server may lose. */
export class CommitsNotDurable extends Error {
  constructor(role: string) {
    super(
      `The database confirms a commit before it is on disk (synchronous_commit is off), so a crash would lose accepted payments. Run as an administrator, then start again: alter role ${role} set synchronous_commit = on;`,
    );
    this.name = 'CommitsNotDurable';
  }
}

/**
 * Asserts, in production, that the server flushes a commit before it confirms it. A 2xx response promises that.
 * @throws CommitsNotDurable for the role that serves and for the role that erases.
 */
export async function assertDurableCommits({
  db,
  erasureDb,
  config,
}: Pick<App, 'db' | 'erasureDb' | 'config'>): Promise<void> {
  if (!config.isProduction) return;
  await assertDurable(db);
  await assertDurable(erasureDb);
}

async function assertDurable(db: Db): Promise<void> {
  const setting = await findCommitSetting(db, {});
  if (setting?.synchronousCommit === 'off') throw new CommitsNotDurable(setting.role);
}
