// Rotates the webhook secret without losing a callback. It writes a new secret to a file, stores its hash, waits until every process
// accepts it, and moves the callbacks of the provider's resources to the new address. Calling it again with the same file continues
// the rotation.

import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseEnv } from 'node:util';
import type { Clock } from '../../../../src/domain/clock.ts';
import { newId } from '../../../../src/domain/ids.ts';
import { inDbTransaction } from '../../../../src/platform/database/db-transaction.ts';
import type { Db } from '../../../../src/platform/database/orm.ts';
import { auditOperator, type By } from '../../../../src/platform/security/audit-operator.ts';
import { endRotation } from '../../../../src/platform/sql/job-runs.ts';
import {
  insertWebhookSecret,
  keepWebhookSecret,
  lockWebhookSecrets,
  retirePendingSecret,
} from '../../../../src/platform/sql/webhook-secrets.ts';
import { runInBackground } from '../../../../src/provider/call-priority.ts';
import type { Config } from '../../../../src/start/config.ts';
import { ACCEPTED_KNOWN_MS, hashText } from '../../../../src/webhooks/secrets.ts';
import { type CommandCall, type CommandSpec, OpsFailure, type OptionValue, UsageError } from '../command.ts';
import { count } from '../format.ts';
import { countToBeMoved, type Moved, moveCallbacks } from '../move-callbacks.ts';
import { printResult } from '../output.ts';

export const webhookSecretRotateCommand: CommandSpec = {
  name: 'webhook-secret rotate',
  summary: 'make a new secret and move all callbacks to it; once more after it is configured',
  options: {
    file: {
      placeholder: '<path>',
      summary: 'where the new secret is written, readable by its owner alone; it is never shown',
      isRequired: true,
    },
    'per-second': {
      placeholder: '<1-1000>',
      summary: 'how many callbacks are moved in a second',
      default: '20',
    },
    'force-new': { summary: 'give up a rotation whose file is lost, and begin a new one' },
  },
  run,
};

/** After this time every process has read the new hash. */
const KNOWN_EVERYWHERE_MS = 2 * ACCEPTED_KNOWN_MS + 500;

async function run(call: CommandCall): Promise<void> {
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

type Rotation =
  /** Callbacks can be moved to the secret: every process accepts it within a second. `current` if a process is configured with it. */
  | { outcome: 'begun' | 'goes_on' | 'current'; id: string }
  | { outcome: 'other_under_way'; begunAt: Date }
  | { outcome: 'used_before' };

/**
 * Starts or continues a rotation.
 * @param secret the new secret. A further call with the same secret continues its rotation.
 * @param options `forceNew` gives up an unfinished rotation to another secret. Callbacks already moved to that secret stay accepted.
 */
export function beginSecretRotation(
  { db, clock, config }: { db: Db; clock: Clock; config: Config },
  secret: string,
  by: By,
  { forceNew = false }: { forceNew?: boolean } = {},
): Promise<Rotation> {
  const now = clock.now();
  return inDbTransaction(db, async (tx): Promise<Rotation> => {
    // Before the first rotation the configured secret has no row, so it is inserted. A concurrent rotation waits here.
    const configured = { id: newId(), hash: hashText(config.webhookSecret), status: 'current' } as const;
    await keepWebhookSecret(tx, { ...configured, createdAt: now, acceptedUntil: null });
    const known = await lockWebhookSecrets(tx, {});
    const ours = known.find(({ hash }) => hash === hashText(secret));
    if (ours?.status === 'former') return { outcome: 'used_before' };
    if (ours) return { outcome: ours.status === 'current' ? 'current' : 'goes_on', id: ours.id };

    const pending = known.find(({ status }) => status === 'pending');
    if (pending && !forceNew) return { outcome: 'other_under_way', begunAt: pending.createdAt };
    await retirePendingSecret(tx, {});
    const id = newId();
    await insertWebhookSecret(tx, {
      id,
      hash: hashText(secret),
      status: 'pending',
      createdAt: now,
      acceptedUntil: null,
    });
    await auditOperator(tx, { ...by, action: 'webhook-secret rotate', target: id, userId: null, now });
    return { outcome: 'begun', id };
  });
}

const SECRET_BYTES = 32;

/**
 * Creates a new secret and its file. The file is flushed to disk before anything depends on the secret. The secret is never printed,
 * because terminals keep their output.
 * @throws OpsFailure if the file cannot be written.
 */
function createSecretFile(file: string): string {
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

function readSecretFile(file: string): string {
  const secret = parseEnv(readFileSync(file, 'utf8'))['WEBHOOK_SECRET'] ?? '';
  if (!/^[A-Za-z0-9_-]{32,}$/.test(secret))
    throw new OpsFailure(`${file} exists already, and holds no WEBHOOK_SECRET=... of a rotation.`);
  return secret;
}
