// A new webhook secret, without losing a callback: made and written to a file, accepted by every process, then everything
// at the provider that may still call back is told the new address. Called again with the same file it goes on.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { parseEnv } from 'node:util';
import type { App } from '../../app.ts';
import { runInBackground } from '../../provider/call-priority.ts';
import { endRotation } from '../../webhooks/rotation.ts';
import { ACCEPTED_KNOWN_MS } from '../../webhooks/secrets.ts';
import { type Call, OpsFailure, UsageError } from '../command.ts';
import { count } from '../format.ts';
import { beginSecretRotation, type Rotation } from '../writes/begin-secret-rotation.ts';
import { countToBeMoved, type Moved, moveCallbacks } from '../writes/move-callbacks.ts';
import { printResult } from './result.ts';

const NAME = 'webhook-secret rotate';
const SECRET_BYTES = 32;
/** Every process has read the new hash by then. */
const KNOWN_EVERYWHERE_MS = 2 * ACCEPTED_KNOWN_MS + 500;

export async function run(call: Call): Promise<void> {
  const { app, out, options, operator, reason, signal } = call;
  const file = fileIn(options['file']);
  const perSecond = perSecondIn(options['per-second']);
  const secret = existsSync(file) ? secretIn(file) : written(file);
  const rotation = await beginSecretRotation(app, secret, { operator, reason }, options['anew'] === true);
  const { id, outcome } = assertUsable(rotation, file);
  out.progress('Waiting until every process accepts the new secret');
  if (outcome !== 'current') await pause(KNOWN_EVERYWHERE_MS);

  const walk = () =>
    runInBackground(() =>
      moveCallbacks(app, {
        secretId: id,
        secret,
        perSecond,
        signal,
        onProgress: (moved) =>
          out.progress(`${count(moved.moved, 'callback')} moved, ${moved.failed} failed`),
      }),
    );
  const first = await walk();
  // What was ordered during the first walk, by processes that still give the former address.
  const second = signal.aborted ? first : sumOf(first, await walk());
  if (signal.aborted) throw new OpsFailure(`Broken off. ${goesOn(file)}`);
  const failed = await leftOver(app, id, second);
  if (failed > 0)
    throw new OpsFailure(
      `${count(failed, 'callback')} could not be moved: the provider did not answer. ${goesOn(file)}`,
    );
  if (outcome === 'current') await endRotation(app.db, id, app.clock.now());
  printResult(out, {
    changed: true,
    sentence: `${count(second.moved, 'callback')} moved. ${outcome === 'current' ? DONE : nextSteps(file)}`,
  });
}

function fileIn(option: string | boolean | undefined): string {
  if (typeof option !== 'string' || option === '')
    throw new UsageError(`${NAME} needs a --file for the new secret.`, NAME);
  return option;
}

function perSecondIn(option: string | boolean | undefined): number {
  const perSecond = Number(option);
  if (!(perSecond >= 1 && perSecond <= 1_000))
    throw new UsageError('--per-second must be a number from 1 to 1000.', NAME);
  return perSecond;
}

/** On disk before anything depends on it; a terminal keeps what it shows, and so do those that look over a shoulder. */
function written(file: string): string {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  try {
    writeFileSync(file, `WEBHOOK_SECRET=${secret}\n`, { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    throw new OpsFailure(
      `${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  return secret;
}

function secretIn(file: string): string {
  const secret = parseEnv(readFileSync(file, 'utf8'))['WEBHOOK_SECRET'] ?? '';
  if (!/^[A-Za-z0-9_-]{32,}$/.test(secret))
    throw new OpsFailure(`${file} is there already, and holds no WEBHOOK_SECRET=... of a rotation.`);
  return secret;
}

function assertUsable(rotation: Rotation, file: string): Rotation & { id: string } {
  if (rotation.outcome === 'used_before')
    throw new OpsFailure(`The secret in ${file} has had its time. Name another file, for a new one.`);
  if (rotation.outcome === 'other_under_way')
    throw new OpsFailure(
      `A rotation begun at ${rotation.begunAt.toISOString()} is not finished: go on with its file. If that is lost, begin --anew.`,
    );
  return rotation;
}

const sumOf = (one: Moved, other: Moved): Moved => ({
  moved: one.moved + other.moved,
  gone: one.gone + other.gone,
  failed: other.failed,
});

/** What failed in the first walk was tried again in the second. */
const leftOver = async (app: App, secretId: string, { failed }: Moved): Promise<number> =>
  failed === 0 ? 0 : countToBeMoved(app, secretId);

const goesOn = (file: string): string => `It goes on with the same call and --file ${file}`;

const nextSteps = (file: string): string =>
  [
    'Now:',
    `1. Set WEBHOOK_SECRET, for every process, to the value in ${file}, and restart them one after the other.`,
    '2. Make this same call once more, with the new configuration: what was ordered meanwhile is moved, too.',
    '3. Delete the file. The former secret is accepted for seven days from the first restart.',
  ].join('\n');

const DONE = 'The new secret is configured, and everything calls back under it. Delete the file.';
