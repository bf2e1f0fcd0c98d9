// Rotates the webhook secret without losing a callback. It writes a new secret to a file, stores its hash, waits until every process
// accepts it, and moves the callbacks of the provider's resources to the new address. Calling it again with the same file continues
// the rotation.

import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseEnv } from 'node:util';
import { auditOperator, type By } from '../../src/audit/operator.ts';
import type { Clock } from '../../src/domain/clock.ts';
import { newId } from '../../src/domain/ids.ts';
import { inDbTransaction } from '../../src/platform/database/db-transaction.ts';
import { unattended } from '../../src/provider/caller.ts';
import { servicesFor } from '../../src/start/app.ts';
import type { Config } from '../../src/start/config.ts';
import { endRotation } from '../../src/tables/job-runs/statements.ts';
import type { Db } from '../../src/tables/orm.ts';
import {
  insertWebhookSecret,
  keepWebhookSecret,
  lockWebhookSecrets,
  retirePendingSecret,
} from '../../src/tables/webhook-secrets/statements.ts';
import { ACCEPTED_KNOWN_MS, hashText } from '../../src/webhooks/secrets.ts';
import { changed } from '../action.ts';
import {
  type ActionResult,
  type CommandCall,
  type CommandSpec,
  OpsFailure,
  type OptionValue,
  UsageError,
} from '../command.ts';
import { count } from '../format.ts';
import { countToBeMoved, type Moved, moveCallbacks } from '../move-callbacks.ts';
import { writePrivateFile } from '../private-file.ts';

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

async function run(call: CommandCall): Promise<ActionResult> {
  const { app, out, options, signal, operator, reason } = call;
  const file = String(options['file']);
  const perSecond = perSecondIn(options['perSecond']);
  const secret = existsSync(file) ? readSecretFile(file) : await createSecretFile(file);
  const forceNew = options['forceNew'] === true;
  const { id, isConfigured } = await beginSecretRotation(
    app,
    { secret, file, forceNew },
    { operator, reason },
  );
  out.progress('Waiting until every process accepts the new secret');
  if (!isConfigured) await sleep(KNOWN_EVERYWHERE_MS);

  const { moved, failed } = await moveTwice(call, { secretId: id, secret, perSecond });
  const howToContinue = `The same call with --file ${file} continues.`;
  if (signal.aborted) throw new OpsFailure(`Interrupted. ${howToContinue}`);
  const remaining = failed === 0 ? 0 : await countToBeMoved(app, id);
  if (remaining > 0)
    throw new OpsFailure(
      `${count(remaining, 'callback')} could not be moved: the provider did not answer. ${howToContinue}`,
    );
  if (isConfigured) await endRotation(app.db, { secretId: id, now: app.clock.now() });
  return changed(`${count(moved, 'callback')} moved. ${isConfigured ? DONE : nextSteps(file)}`);
}

function perSecondIn(option: OptionValue): number {
  const perSecond = Number(option);
  if (!(perSecond >= 1 && perSecond <= 1_000))
    throw new UsageError('--per-second must be a number from 1 to 1000.');
  return perSecond;
}

/** Moves the callbacks in two passes. The second moves those of resources that were created with the former address during the first. */
async function moveTwice(
  { app, out, signal }: CommandCall,
  target: { secretId: string; secret: string; perSecond: number },
): Promise<Moved> {
  const onProgress = ({ moved, failed }: Moved): void =>
    out.progress(`${count(moved, 'callback')} moved, ${failed} failed`);
  const walk = (): Promise<Moved> =>
    moveCallbacks(servicesFor(app, unattended), { ...target, signal, onProgress });
  const first = await walk();
  if (signal.aborted) return first;
  const second = await walk();
  // The second pass has retried the failures of the first.
  return { moved: first.moved + second.moved, gone: first.gone + second.gone, failed: second.failed };
}

const nextSteps = (file: string): string =>
  [
    'Now:',
    `1. Set WEBHOOK_SECRET, for every process, to the value in ${file}, and restart them one after the other.`,
    '2. Make this same call once more, with the new configuration: it moves the callbacks ordered meanwhile.',
    '3. Delete the file. The former secret is accepted for seven days from the first restart.',
  ].join('\n');

const DONE = 'The new secret is configured, and every callback uses it. Delete the file.';

/**
 * Starts or continues a rotation. Every process then accepts the secret within a second.
 * @param rotation `file` has the new secret; another call with it continues the rotation. `forceNew` gives up an unfinished rotation to
 *   another secret. Callbacks already moved to that secret stay accepted.
 * @returns the secret's id, and whether a process is configured with the secret.
 * @throws OpsFailure if the secret is a former one, or another rotation is unfinished.
 */
export async function beginSecretRotation(
  { db, clock, config }: { db: Db; clock: Clock; config: Config },
  { secret, file, forceNew }: { secret: string; file: string; forceNew: boolean },
  by: By,
): Promise<{ id: string; isConfigured: boolean }> {
  const now = clock.now();
  const hash = hashText(secret);
  const rotation = await inDbTransaction(db, async (tx) => {
    // Before the first rotation the configured secret has no row, so it is inserted. A concurrent rotation waits here.
    const configured = { id: newId(), hash: hashText(config.webhookSecret), status: 'current' } as const;
    await keepWebhookSecret(tx, { ...configured, createdAt: now, acceptedUntil: null });
    const secrets = await lockWebhookSecrets(tx, {});
    const ours = secrets.find((one) => one.hash === hash);
    // A failure is returned and not thrown, so that the row of the configured secret is committed.
    if (ours?.status === 'former')
      return new OpsFailure(`The secret in ${file} is a former one. Name another file, for a new secret.`);
    if (ours) return { id: ours.id, isConfigured: ours.status === 'current' };

    const pending = secrets.find(({ status }) => status === 'pending');
    if (pending && !forceNew)
      return new OpsFailure(
        `A rotation begun at ${pending.createdAt.toISOString()} is not finished: continue with its file. If the file is lost, add --force-new.`,
      );
    await retirePendingSecret(tx, {});
    const id = newId();
    await insertWebhookSecret(tx, { id, hash, status: 'pending', createdAt: now, acceptedUntil: null });
    await auditOperator(tx, { ...by, action: 'webhook-secret rotate', target: id, userId: null, now });
    return { id, isConfigured: false };
  });
  if (rotation instanceof OpsFailure) throw rotation;
  return rotation;
}

const SECRET_BYTES = 32;

/**
 * Creates a new secret and its file, which is on disk before anything depends on the secret. The secret is never printed, because
 * terminals keep their output.
 * @throws OpsFailure if the file cannot be written.
 */
async function createSecretFile(file: string): Promise<string> {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  await writePrivateFile(file, `WEBHOOK_SECRET=${secret}\n`);
  return secret;
}

function readSecretFile(file: string): string {
  const secret = parseEnv(readFileSync(file, 'utf8'))['WEBHOOK_SECRET'] ?? '';
  if (!/^[A-Za-z0-9_-]{32,}$/.test(secret))
    throw new OpsFailure(`${file} exists already, and holds no WEBHOOK_SECRET=... of a rotation.`);
  return secret;
}
