// Runs `npm run db:migrate` while others use the database. It waits two seconds for a lock, then lets other sessions continue and
// tries again.
import { spawn } from 'node:child_process';
import { Migration } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import { PostgresDialect } from 'kysely';
import type { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { migrationDeadlines, noDeadlines } from '../../src/platform/database/deadlines.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { ConcurrentIndexes } from '../../src/tables/migrations/bases/concurrent-indexes.ts';
import { FilledColumn } from '../../src/tables/migrations/bases/filled-column.ts';
import { RebuiltIndexes } from '../../src/tables/migrations/bases/rebuilt-indexes.ts';
import { ormOptions } from '../../src/tables/orm-options.ts';
import { migrate } from '../../src/tables/schema/schema.ts';
import { call } from '../support/http.ts';
import { signUp } from '../support/person.ts';
import { ROOT, surroundings } from '../support/process.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';

const PATIENCE_MS = 120_000;

let others: Pool;

const { world } = useWorld();
beforeAll(async () => {
  others = createPool(world.databaseUrl, 3, noDeadlines);
});
afterEach(() => others.query('alter table users drop column if exists added'));
afterAll(async () => {
  await others.end();
});

class AddsPauseNote extends Migration {
  override name = 'AddsPauseNote';
  override up(): void {
    this.addSql('alter table effect_pauses add column added int');
  }
}

class AddsUserNote extends Migration {
  override name = 'AddsUserNote';
  override up(): void {
    this.addSql('alter table users add column added int');
  }
}

class AddsOnce extends Migration {
  override name = 'AddsOnce';
  override up(): void {
    this.addSql('alter table effect_pauses add column added_once int');
  }
}

class IndexesPauses extends ConcurrentIndexes {
  override name = 'IndexesPauses';
  readonly indexes = [{ name: 'effect_pauses_reason', on: 'effect_pauses (reason)' }];
}

class RebuildsIndex extends RebuiltIndexes {
  override name = 'RebuildsIndex';
  readonly indexes = [
    {
      name: 'effect_pauses_reason',
      on: `effect_pauses (reason) where operator <> 'y'`,
      formerlyOn: 'effect_pauses (reason)',
    },
  ];
}

class FillsColumn extends FilledColumn {
  override name = 'FillsColumn';
  readonly filled = { table: 'filled', column: 'bytes', value: "decode(digits, 'hex')" };
}

/** The service's own options, with other migrations. */
const ormWith = (...migrations: (new (...args: never[]) => Migration)[]) =>
  MikroORM.init({
    ...ormOptions,
    dbName: new URL(world.databaseUrl).pathname.slice(1),
    driverOptions: new PostgresDialect({ pool: createPool(world.databaseUrl, 2, migrationDeadlines) }),
    migrations: { ...ormOptions.migrations, migrationsList: migrations as never[] },
  });

test(
  'requests are answered while a migration waits for its lock, and the migration before it is committed',
  async () => {
    const ada = await signUp(world);
    const reader = await others.connect();
    await reader.query('begin; select from users');
    const orm = await ormWith(AddsPauseNote, AddsUserNote);
    let tries = 1;
    const migrating = migrate(orm, (next) => {
      tries = next;
    });
    const answers: number[] = [];
    for (let seen = 1; seen <= 3; seen += 1) {
      await until(
        async () => tries,
        (now) => now > seen,
        PATIENCE_MS,
      );
      answers.push((await call(world, 'GET', '/me', { token: ada.token })).status);
    }
    expect(answers).toEqual([200, 200, 200]);
    expect(await columns()).toEqual(['effect_pauses']);

    await reader.query('commit');
    reader.release();
    expect(await migrating).toEqual(['AddsPauseNote', 'AddsUserNote']);
    expect(await columns()).toEqual(['effect_pauses', 'users']);
    expect((await call(world, 'GET', '/me', { token: ada.token })).status).toBe(200);
    await orm.close(true);
  },
  PATIENCE_MS,
);

test(
  'two commands at the same moment apply each migration once',
  async () => {
    const reader = await others.connect();
    await reader.query('begin; select from effect_pauses');
    const orms = [await ormWith(AddsOnce), await ormWith(AddsOnce)];
    const tries = [1, 1];
    const migrating = orms.map((orm, nth) =>
      migrate(orm, (next) => {
        tries[nth] = next;
      }),
    );
    await until(
      async () => tries,
      (both) => both.every((count) => count > 1),
      PATIENCE_MS,
    );
    await reader.query('commit');
    reader.release();
    const applied = await Promise.all(migrating);
    expect(applied.flat()).toEqual(['AddsOnce']);
    for (const orm of orms) await orm.close(true);
  },
  PATIENCE_MS,
);

test(
  'the command reports that it waits for another session and continues when that session has finished',
  async () => {
    const blocker = await others.connect();
    await blocker.query('begin; lock table schema_migrations');
    const env = { ...surroundings(), DATABASE_URL: world.databaseUrl };
    const command = spawn(process.execPath, ['src/tables/schema/migrate.ts'], { cwd: ROOT, env });
    let output = '';
    for (const stream of [command.stdout, command.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    const ended = new Promise((resolve) => command.once('close', resolve));
    await until(
      async () => output,
      (text) => text.includes('try 2 of 60 follows'),
      PATIENCE_MS,
    );
    await blocker.query('commit');
    blocker.release();
    expect(await ended).toBe(0);
    expect(output).toMatch(/^another session holds a lock [\s\S]*\nthe schema is up to date\n$/);
  },
  PATIENCE_MS,
);

const columns = async (): Promise<string[]> => {
  const { rows } = await others.query<{ name: string }>(
    `select table_name as name from information_schema.columns where column_name = 'added' order by 1`,
  );
  return rows.map(({ name }) => name);
};

const isIndexValid = async (): Promise<boolean | null> => {
  const { rows } = await others.query<{ indisvalid: boolean }>(
    `select indisvalid from pg_index where indexrelid = to_regclass('effect_pauses_reason')`,
  );
  return rows[0]?.indisvalid ?? null;
};

/** Migrates while another transaction holds back the build of an index, and returns the migrations that were applied after it. */
async function migrateWhileOneWrites(
  orm: Awaited<ReturnType<typeof ormWith>>,
  meanwhile: () => Promise<void>,
): Promise<string[]> {
  const writer = await others.connect();
  await writer.query(
    `begin; insert into effect_pauses (type, reason, operator, paused_at) values ('startPayout', 'x', 'y', now())`,
  );
  let tries = 1;
  const migrating = migrate(orm, (next) => {
    tries = next;
  });
  await until(
    async () => tries,
    (now) => now > 2,
    PATIENCE_MS,
  );
  await meanwhile();
  await others.query(
    `insert into effect_pauses (type, reason, operator, paused_at) values ('startConversion', 'x', 'y', now())`,
  );
  await writer.query('commit');
  writer.release();
  return migrating;
}

test(
  'a concurrent index lets others write, and a try that was interrupted is built again',
  async () => {
    const orm = await ormWith(IndexesPauses);
    // The build waits for the open transaction, and each try leaves an index that no statement uses.
    const applied = await migrateWhileOneWrites(orm, async () => expect(await isIndexValid()).toBe(false));
    expect(applied).toEqual(['IndexesPauses']);
    expect(await isIndexValid()).toBe(true);
    await orm.migrator.down();
    expect(await isIndexValid()).toBe(null);
    await others.query('delete from effect_pauses');
    await orm.close(true);
  },
  2 * PATIENCE_MS,
);

const definitions = async (): Promise<string[]> => {
  const { rows } = await others.query<{ definition: string }>(
    `select indexdef as definition from pg_indexes where indexname like 'effect_pauses_reason%' order by 1`,
  );
  return rows.map(({ definition }) => definition.replace(/^.* USING btree /, ''));
};

test(
  'an index is rebuilt while others write, and the former one serves until the new one is built',
  async () => {
    await others.query('create index effect_pauses_reason on effect_pauses (reason)');
    const orm = await ormWith(RebuildsIndex);
    const applied = await migrateWhileOneWrites(orm, async () => expect(await isIndexValid()).toBe(true));
    expect(applied).toEqual(['RebuildsIndex']);
    expect(await isIndexValid()).toBe(true);
    expect(await definitions()).toEqual([`(reason) WHERE (operator <> 'y'::text)`]);
    await orm.migrator.down();
    expect(await definitions()).toEqual(['(reason)']);
    await others.query('drop index effect_pauses_reason; delete from effect_pauses');
    await orm.close(true);
  },
  2 * PATIENCE_MS,
);

test(
  'a column is filled page by page while others write, and a try that waits for a locked row is repeated',
  async () => {
    await others.query(`create table filled (id uuid primary key, digits text, bytes bytea);
      insert into filled select gen_random_uuid(), md5(number::text) from generate_series(1, 12000) as number;
      insert into filled values (gen_random_uuid(), '00', 'kept')`);
    const orm = await ormWith(FillsColumn);
    const writer = await others.connect();
    await writer.query(
      'begin; update filled set digits = digits where id = (select max(id::text)::uuid from filled)',
    );
    let tries = 1;
    const migrating = migrate(orm, (next) => {
      tries = next;
    });
    await until(
      async () => tries,
      (now) => now > 2,
      PATIENCE_MS,
    );
    // Two pages are committed. The third one has the locked row.
    expect(await countFilled('bytes is not null')).toBeGreaterThanOrEqual(10_000);
    expect(await countFilled('bytes is null')).toBeGreaterThan(0);
    await writer.query('commit');
    writer.release();
    expect(await migrating).toEqual(['FillsColumn']);
    expect(await countFilled(`encode(bytes, 'hex') = digits`)).toBe(12_000);
    expect(await countFilled(`bytes = 'kept'`)).toBe(1);
    await others.query('drop table filled');
    await orm.close(true);
  },
  2 * PATIENCE_MS,
);

const countFilled = async (condition: string): Promise<number> => {
  const { rows } = await others.query<{ count: number }>(
    `select count(*)::int as count from filled where ${condition}`,
  );
  return rows[0]?.count ?? Number.NaN;
};
