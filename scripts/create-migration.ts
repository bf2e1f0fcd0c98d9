// Writes the migration from the last schema to the one that src/platform/database/entities/ now declares.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noDeadlines } from '../src/platform/database/deadlines.ts';
import { createOrm } from '../src/platform/database/orm.ts';
import { createPool } from '../src/platform/database/pool.ts';
import { startEmbeddedDatabase } from './embedded-database.ts';

const folder = mkdtempSync(join(tmpdir(), 'ponte-migration-'));
const database = await startEmbeddedDatabase({ folder, keep: false });
const orm = await createOrm(createPool(database.url, 2, noDeadlines));
const { fileName } = await orm.migrator.create();
console.log(fileName ? `wrote ${fileName}` : 'nothing to do: entities and migrations agree');
await orm.close();
await database.stop();
