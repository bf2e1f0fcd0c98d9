// Rotates the webhook secret without losing a callback. It writes a new secret to a file, waits until every process accepts it, and
// moves the callbacks of the provider's resources to the new address. Calling it again with the same file continues the rotation.

import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../../src/domain/clock.ts';
import type { Db } from '../../../../src/platform/database/orm.ts';
import { endRotation } from '../../../../src/platform/sql/job-runs.ts';
import { runInBackground } from '../../../../src/provider/call-priority.ts';
import { ACCEPTED_KNOWN_MS } from '../../../../src/webhooks/secrets.ts';
import { type CommandCall, OpsFailure, type OptionValue, UsageError } from '../command.ts';
import { count } from '../format.ts';
import { beginSecretRotation, type Rotation } from '../writes/begin-secret-rotation.ts';
import { countToBeMoved, type Moved, moveCallbacks } from '../writes/move-callbacks.ts';
import { printResult } from './print-result.ts';
import { createSecretFile, readSecretFile } from './secret-file.ts';

/** After this time every process has read the new hash. */
const KNOWN_EVERYWHERE_MS = 2 * ACCEPTED_KNOWN_MS + 500;

export async function run(call: CommandCall): Promise<void> {
  const { app, out, options, operator, reason } = call;
  const file = String(options['file']);
  const perSecond = perSecondIn(options['perSecond']);
  const secret = existsSync(file) ? readSecretFile(file) : createSecretFile(file);
  const forceNew = options['forceNew'] === true;
  const rotation = await beginSecretRotation(app, secret, { operator, reason }, { forceNew });
  const { id, outcome } = assertUsable(rotation, file);
  out.progress('Waiting until every process accepts the new secret');
  if (outcome !== 'current') await sleep(KNOWN_EVERYWHERE_MS);

  const moved = await moveTwice(call, { secretId: id, secret, perSecond });
  if (call.signal.aborted) throw new OpsFailure(`Interrupted. ${howToContinue(file)}`);
  const remaining = await countRemaining(app, id, moved);
  if (remaining > 0)
    throw new OpsFailure(
      `${count(remaining, 'callback')} could not be moved: the provider did not answer. ${howToContinue(file)}`,
    );
  if (outcome === 'current') await endRotation(app.db, { secretId: id, now: app.clock.now() });
  printResult(out, {
    changed: true,
    sentence: `${count(moved.moved, 'callback')} moved. ${outcome === 'current' ? DONE : nextSteps(file)}`,
  });
}

function perSecondIn(option: OptionValue): number {
  const perSecond = Number(option);
  if (!(perSecond >= 1 && perSecond <= 1_000))
    throw new UsageError('--per-second must be a number from 1 to 1000.');
  return perSecond;
}

function assertUsable(rotation: Rotation, file: string): Rotation & { id: string } {
  if (rotation.outcome === 'used_before')
    throw new OpsFailure(`The secret in ${file} is a former one. Name another file, for a new secret.`);
  if (rotation.outcome === 'other_under_way')
    throw new OpsFailure(
      `A rotation begun at ${rotation.begunAt.toISOString()} is not finished: continue with its file. If the file is lost, add --force-new.`,
    );
  return rotation;
}

/** Moves the callbacks in two passes. The second moves those of resources that were created with the former address during the first. */
async function moveTwice(
  { app, out, signal }: CommandCall,
  target: { secretId: string; secret: string; perSecond: number },
): Promise<Moved> {
  const onProgress = ({ moved, failed }: Moved): void =>
    out.progress(`${count(moved, 'callback')} moved, ${failed} failed`);
  const walk = (): Promise<Moved> =>
    runInBackground(() => moveCallbacks(app, { ...target, signal, onProgress }));
  const first = await walk();
  if (signal.aborted) return first;
  const second = await walk();
  // The second pass has retried the failures of the first.
  return { moved: first.moved + second.moved, gone: first.gone + second.gone, failed: second.failed };
}

const countRemaining = async (
  { db, clock }: { db: Db; clock: Clock },
  secretId: string,
  { failed }: Moved,
): Promise<number> => (failed === 0 ? 0 : countToBeMoved({ db, clock }, secretId));

const howToContinue = (file: string): string => `The same call with --file ${file} continues.`;

const nextSteps = (file: string): string =>
  [
    'Now:',
    `1. Set WEBHOOK_SECRET, for every process, to the value in ${file}, and restart them one after the other.`,
    '2. Make this same call once more, with the new configuration: it moves the callbacks ordered meanwhile.',
    '3. Delete the file. The former secret is accepted for seven days from the first restart.',
  ].join('\n');

const DONE = 'The new secret is configured, and every callback uses it. Delete the file.';
