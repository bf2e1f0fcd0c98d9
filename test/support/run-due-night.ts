// Runs the pages of a due nightly run one after the other, as the engine of a process does.
import { setTimeout as pause } from 'node:timers/promises';
import type { JobName } from '../../src/jobs/jobs.ts';
import { runNightlyPage } from '../../src/jobs/run-page.ts';
import { LeaseLost } from '../../src/outbox/leases.ts';
import type { Work } from '../../src/outbox/work.ts';
import { SLICE_JOB } from '../../src/tables/job-runs/work.ts';
import { claimOnce } from './claim-once.ts';
import type { TestApp } from './test-app.ts';

/** An engine looks for due work again and again. A page that ended this moment may not be due yet if the machine's clock steps back. */
const LOOKS = 5;
const LOOK_AGAIN_MS = 50;

/** Runs the pages of the job that are due, until none is due or the lease of a page is lost. @param owner the id of the process. */
export async function runDueNight(app: TestApp, job: JobName, owner: string): Promise<void> {
  for (let work = await claim(app, owner); work !== null; work = await claim(app, owner)) {
    // Slices are pages of the reconciliation that planned them.
    if (work.type !== job && work.type !== SLICE_JOB)
      throw new Error(`a page of ${work.type} is due, and not only of ${job}`);
    try {
      await runNightlyPage(app, work);
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      return;
    }
  }
}

async function claim({ db, clock }: TestApp, owner: string): Promise<Work | null> {
  for (let look = 0; look < LOOKS; look += 1) {
    const { works } = await claimOnce(db, 'page', { owner, limit: 1, now: clock.now() });
    if (works[0] !== undefined) return works[0];
    await pause(LOOK_AGAIN_MS);
  }
  return null;
}
