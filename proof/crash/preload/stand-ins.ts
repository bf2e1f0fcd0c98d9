// Replaces some of the service's modules when other modules import them: the replacements name the work that runs. The service's
// files do not change.
import { registerHooks } from 'node:module';

const ROOT = new URL('../../../', import.meta.url);

/** Without `importedBy`, the replacement applies to every module of the service that imports the original. */
type StandIn = { of: string; importedBy?: string; by: string };

export const standIns: StandIn[] = [
  { of: 'src/outbox/engine.ts', importedBy: 'src/start/start-engine.ts', by: 'named/engine.ts' },
  { of: 'src/outbox/leases.ts', importedBy: 'src/start/start-engine.ts', by: 'named/leases.ts' },
  {
    of: 'src/platform/database/group-commit.ts',
    importedBy: 'src/start/create-app.ts',
    by: 'named/group-commit.ts',
  },
  { of: 'src/platform/database/db-transaction.ts', by: 'named/db-transaction.ts' },
  {
    of: 'src/platform/database/statement-names.ts',
    importedBy: 'src/platform/database/client.ts',
    by: 'named/statement-names.ts',
  },
  { of: 'src/provider/exchange.ts', importedBy: 'src/provider/http.ts', by: 'named/exchange.ts' },
  { of: 'src/jobs/run.ts', importedBy: 'src/jobs/run-page.ts', by: 'named/run.ts' },
];

export function useStandIns(): void {
  registerHooks({
    resolve: (specifier, context, next) => {
      const resolved = next(specifier, context);
      const standIn = standIns.find(
        ({ of, importedBy }) =>
          resolved.url === new URL(of, ROOT).href && isFor(importedBy, context.parentURL ?? ''),
      );
      return standIn ? { ...resolved, url: new URL(standIn.by, import.meta.url).href } : resolved;
    },
  });
}

const isFor = (importedBy: string | undefined, importer: string): boolean =>
  importedBy === undefined
    ? ['src/', 'ops/'].some((folder) => importer.startsWith(new URL(folder, ROOT).href))
    : importer === new URL(importedBy, ROOT).href;
