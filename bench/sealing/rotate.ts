// Runs `ops keys rotate` as an operator does, over the data keys of many users, while the service continues to answer.
import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { sql } from 'kysely';
import type { Db } from '../../src/platform/database/orm.ts';
import type { MasterKey } from '../../src/platform/security/data-keys.ts';
import { dataKeyContext } from '../../src/platform/security/data-keys.ts';
import { sealWith } from '../../src/platform/security/envelope.ts';

const BATCH_SIZE = 10_000;

/** Creates users that have only a data key. */
export async function makeDataKeys(db: Db, master: MasterKey, many: number): Promise<void> {
  for (let made = 0; made < many; made += BATCH_SIZE) {
    const scopes = Array.from({ length: Math.min(BATCH_SIZE, many - made) }, () => randomUUID());
    const wrapped = scopes.map((scope) => sealWith(master.key, dataKeyContext(scope), randomBytes(32)));
    await sql`
      insert into data_keys (scope, master_key_id, wrapped_key, created_at)
      select scope, ${master.id}, wrapped, now()
      from unnest(${scopes}::text[], ${wrapped}::bytea[]) as fresh (scope, wrapped)
    `.execute(db);
  }
  await sql`analyze data_keys`.execute(db);
}

export type Rotation = { seconds: number; requests: number; errors: string[]; left: number };

/**
 * @param env the operator's environment, in which the new master key comes first.
 * @param ask sends one request to the service. It is repeated until the rotation is done.
 */
export async function rotate(
  db: Db,
  former: string,
  env: NodeJS.ProcessEnv,
  ask: (n: number) => Promise<void>,
): Promise<Rotation> {
  const root = path.resolve(import.meta.dirname, '../..');
  const call = [
    'packages/ops/src/main.ts',
    'keys',
    'rotate',
    '--reason',
    'a benchmark',
    '--operator',
    'nobody',
  ];
  const begun = performance.now();
  const child = spawn(process.execPath, call, { cwd: root, env, stdio: 'inherit' });
  let isOver = false;
  const ended = once(child, 'exit').then(([code]) => {
    isOver = true;
    return { code: code as unknown, seconds: (performance.now() - begun) / 1_000 };
  });
  const errors: string[] = [];
  let requests = 0;
  for (; !isOver; requests += 1) await ask(requests).catch((error: unknown) => errors.push(String(error)));
  const { code, seconds } = await ended;
  if (code !== 0) errors.push(`the rotation ended with ${String(code)}`);
  const { left } = await db
    .selectFrom('DataKey')
    .select(sql<number>`count(*)`.as('left'))
    .where('masterKeyId', '=', former)
    .executeTakeFirstOrThrow();
  return { seconds, requests, errors, left };
}
