// The open step of a webhook secret's rotation is shown until it is done. A former secret can be revoked immediately.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countBacklog } from '../../src/metrics/backlog.ts';
import { warnOfRotation } from '../../src/webhooks/rotation.ts';
import {
  ACCEPTED_KNOWN_MS,
  adoptConfiguredSecret,
  createAcceptedSecrets,
} from '../../src/webhooks/secrets.ts';
import { auditOf, opsHere } from '../ops/support.ts';
import { byTable } from '../support/by-table.ts';
import { call } from '../support/http.ts';
import { capturedAt } from '../support/leak-watch.ts';
import { valueOf } from '../support/metrics.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';
import { startWatchedService } from '../support/watched-service.ts';

const why = ['--reason', 'seen in a log of a proxy'];

let folder: string;
let file: string;

const { world } = useWorld();
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ponte-secret-'));
  file = join(folder, 'next.env');
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
});

test('a rotation is shown as unfinished until the call that follows the new configuration', async () => {
  expect(await toldOf()).toEqual(['', false, 0]);
  expect(await rotate()).toMatchObject({
    code: 0,
    out: expect.stringMatching(/Make this same call once more/),
  });
  expect(await toldOf()).toEqual(['pending, not finished', true, 1]);
  const { db } = world.service.app;
  // A process with the former configuration starts.
  expect(await adoptConfiguredSecret(db, world.webhookSecret, new Date())).toBe(false);
  expect(await toldOf()).toEqual(['pending, not finished', true, 1]);

  const [, secret = ''] = readFileSync(file, 'utf8').trim().split('=');
  await restartWith(secret);
  await until(
    async () => capturedAt('the log'),
    (log) =>
      /"level":"warn",.*"code":"webhook_secret.rotation_unfinished","next":"make the call of webhook-secret rotate once more/.test(
        log,
      ),
  );
  expect(await toldOf()).toEqual(['current, configured, not finished', true, 1]);

  expect(await rotate()).toMatchObject({ code: 0, out: expect.stringMatching(/every callback uses it/) });
  expect(await toldOf()).toEqual(['current, configured', false, 0]);
  const before = warnings();
  await warnOfRotation(world.service.app);
  expect(warnings()).toBe(before);
});

test('the secrets that were accepted last stay accepted while the database does not answer', async () => {
  const { db, clock } = world.service.app;
  const accepted = createAcceptedSecrets(db, clock);
  const secrets = await accepted();
  expect(secrets.length).toBeGreaterThan(0);
  await sql`alter table webhook_secrets rename to unreachable`.execute(db);
  try {
    const since = performance.now();
    await until(
      async () => performance.now() - since,
      (ms) => ms > ACCEPTED_KNOWN_MS,
    );
    expect(await accepted()).toEqual(secrets);
  } finally {
    await sql`alter table unreachable rename to webhook_secrets`.execute(db);
  }
});

test('a revoked former secret is refused within a second, and the operator is audited', async () => {
  const former = world.webhookSecret;
  const { id } = await secretThatIs('former');
  expect(await knock(former)).toBe(200);

  const { app } = world.service;
  const stale = { ...app, config: { ...app.config, webhookSecret: former } };
  expect(await opsHere(stale, ['webhook-secret', 'revoke', id, ...why])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/configure the new secret and restart first/),
  });
  expect(await revoke(id)).toMatchObject({ code: 0, out: 'Done. The secret is refused from now on.\n' });
  await until(
    () => knock(former),
    (status) => status === 404,
  );
  expect(await auditOf(world, id)).toMatchObject([
    {
      action: 'operator.webhook-secret revoke',
      user_id: null,
      details: { target: id, operator: 'olga', reason: why[1] },
    },
  ]);
  expect(await revoke(id)).toMatchObject({ code: 0, out: expect.stringMatching(/^Nothing changed/) });
  expect(await auditOf(world, id)).toHaveLength(1);
  const row = (await secretsListed()).find((line) => line.includes(id));
  expect(row).toMatch(/former .* no longer/);
});

test('a secret that is in use or unknown cannot be revoked', async () => {
  const { id } = await secretThatIs('current');
  expect(await revoke(id)).toMatchObject({ code: 1, err: expect.stringMatching(/Only a former secret/) });
  expect(await revoke(randomUUID())).toMatchObject({ code: 1, err: expect.stringMatching(/no such secret/) });
});

const warnings = () => capturedAt('the log').match(/"webhook_secret.rotation_unfinished"/g)?.length;

const rotate = () =>
  opsHere(world.service.app, ['webhook-secret', 'rotate', '--file', file, '--per-second', '500', ...why]);
const revoke = (id: string) => opsHere(world.service.app, ['webhook-secret', 'revoke', id, ...why]);

async function restartWith(secret: string): Promise<void> {
  await world.service.stop();
  world.env = { ...world.env, WEBHOOK_SECRET: secret };
  world.service = await startWatchedService(world.env, world.clock);
  const { service, stop } = world;
  world.stop = () => service.stop().then(stop);
}

const secretsListed = async (): Promise<string[]> =>
  (await opsHere(world.service.app, ['webhook-secret', 'status'])).out.split('\n');

/** The newest secret's line of the list, whether the status names a rotation, and the count of the metrics. */
async function toldOf(): Promise<[string, boolean, number | undefined]> {
  const { app } = world.service;
  const [, newest = ''] = await secretsListed();
  const status = await opsHere(app, ['status']);
  return [
    /(?:pending|current|former)\S*(?: \S+)*/.exec(newest)?.[0] ?? '',
    status.out.includes('rotations of the webhook secret unfinished'),
    await valueOf(await countBacklog(app.db, new Date()), 'ponte_unfinished_secret_rotations'),
  ];
}

const secretThatIs = (status: 'former' | 'current') =>
  byTable(world.service.app.db)
    .selectFrom('webhook_secrets')
    .select('id')
    .where('status', '=', status)
    .executeTakeFirstOrThrow();

async function knock(secret: string): Promise<number> {
  const json = {
    event: 'something.else',
    data: { uuid: randomUUID() },
    updated_at: new Date().toISOString(),
  };
  return (await call(world, 'POST', `/webhooks/provider/${secret}`, { json })).status;
}
