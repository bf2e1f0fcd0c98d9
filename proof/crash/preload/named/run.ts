// Replaces src/jobs/run.ts: each page of a nightly job runs under the names of the job and its stage.
import * as run from '../../../../src/jobs/run.ts';
import { asActor } from '../actor.ts';

export const processPage: typeof run.processPage = (app, at, ...rest) =>
  asActor(`${at.job}: ${run.stageOf(at)}`, () => run.processPage(app, at, ...rest));
