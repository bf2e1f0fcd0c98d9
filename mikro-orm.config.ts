// The configuration of MikroORM's command line: `npm run mikro-orm -- migration:list`, or `debug`. Node runs this file without a
// TypeScript loader. The service and its scripts use the same options with a pool of connections (src/tables/orm.ts).
// `npm run db:migrate` applies the migrations and grants the service its rights.
import { defineConfig } from '@mikro-orm/postgresql';
import { ormOptions } from './src/tables/orm-options.ts';

export default defineConfig({
  ...ormOptions,
  clientUrl: process.env['DATABASE_URL'] ?? 'postgresql://localhost:5432/ponte',
});
