// A stolen backup is worthless. It contains data keys only in wrapped form, so nothing opens without the master key.
import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPool } from '../../src/platform/database/pool.ts';
import { createDataKeys, dataKeyContext } from '../../src/security/data-keys.ts';
import { encryptionContexts } from '../../src/security/encryption-contexts.ts';
import { openWith } from '../../src/security/envelope.ts';
import { createSealer } from '../../src/security/sealer.ts';
import { byTable } from '../support/by-table.ts';
import { columnsIn } from '../support/leak-watch.ts';
import { leaksIn } from '../support/leaks.ts';
import { pay, quote, reaches } from '../support/person.ts';
import { useWorld } from '../support/use-world.ts';

let pool: Pool;

const { world, ada } = useWorld({ deposit: '100.00' });
beforeAll(async () => {
  await reaches(ada, await pay(ada, await quote(ada, 20)), 'completed');
  pool = createPool(world.databaseUrl, 1);
});
afterAll(async () => {
  await pool.end();
});

const masterKeys = () => world.service.app.config.masterKeys;

test('a backup contains the data keys of users and of the month only in wrapped form', async () => {
  const { rows } = await pool.query<{ scope: string; wrapped_key: Buffer }>('select * from data_keys');
  const keys = rows.map(({ scope, wrapped_key: wrapped }) =>
    openWith(masterKeys()[0]?.key ?? '', dataKeyContext(scope), wrapped),
  );
  expect(rows.map(({ scope }) => scope.replace(/\d{4}-\d\d$/, 'month')).toSorted()).toEqual(
    [ada.userId, 'webhooks-month'].toSorted(),
  );
  const texts = keys.flatMap((key) => [key.toString('hex'), key.toString('base64'), key.toString('latin1')]);
  const marks = texts.map((value) => ({ what: 'a data key', value }));
  const backup = await columnsIn(pool);
  expect(leaksIn(backup, marks)).toEqual([]);
  // The search works, because it finds the wrapped form.
  const wrapped = rows.map((row) => ({ what: 'wrapped', value: row.wrapped_key.toString('hex') }));
  expect(leaksIn(backup, wrapped).map(({ where }) => where)).toEqual(rows.map(() => 'data_keys.wrapped_key'));
});

test('nothing in a backup opens under another master key, not even one of the same name', async () => {
  const { email_sealed: sealed } = await byTable(world.service.app.db)
    .selectFrom('users')
    .select('email_sealed')
    .where('id', '=', ada.userId)
    .executeTakeFirstOrThrow();
  const open = (keys: ReturnType<typeof masterKeys>) =>
    createSealer(createDataKeys(world.service.app.db, keys)).open(
      encryptionContexts.email(ada.userId, ada.userId),
      sealed ?? Buffer.alloc(0),
    );
  expect(await open(masterKeys())).toBe('ada@example.com');
  await expect(open([{ id: masterKeys()[0]?.id ?? '', key: randomBytes(32) }])).rejects.toThrow(
    /authenticate/,
  );
});
