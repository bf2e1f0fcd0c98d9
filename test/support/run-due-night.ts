// Runs the pages of a due nightly run one after the other, as the engine of a process does.
import type { App } from '../../src/app.ts';
import type { JobName } from '../../src/nightly/jobs.ts';
import { runNightlyPage } from '../../src/nightly/run-page.ts';
import { claims } from '../../src/outbox/claim.ts';
import { LeaseLost } from '../../src/outbox/leases.ts';

/**
 * Runs the due pages of the job, until none is due or the lease of a page is lost.
 * @param owner the id of the process.
 */
export async function runDueNight(app: App, job: JobName, owner: string): Promise<void> {
  for (;;) {
    const { works } = await claims.page(app.db, {
      owner,
      most: 1,
      excludedTypes: [],
      excludedUsers: [],
      after: null,
      now: app.clock.now(),
    });
    const [work] = works;
    if (work === undefined) return;
    if (work.type !== job) throw new Error(`a page of ${work.type} is due, and not only of ${job}`);
    try {
      await runNightlyPage(app, work);
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      return;
    }
  }
}
