// MikroORM's configuration, for its command line: `npm run mikro-orm -- migration:list`, or `debug`. It needs no TypeScript
// loader: Node runs this file as it is. Our own commands take the same options and give them a pool of ours (src/platform/database/orm.ts).
// Migrations are applied by `npm run db:migrate`, which also brings the queue's tables up to date and grants the service its
// rights.
import { defineConfig } from '@mikro-orm/postgresql';
import { ormOptions } from './src/platform/database/orm-options.ts';

export default defineConfig({
  ...ormOptions,
  clientUrl: process.env['DATABASE_URL'] ?? 'postgresql://localhost:5432/ponte',
});
