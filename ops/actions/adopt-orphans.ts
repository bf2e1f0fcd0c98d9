// Creates the missing rows of the provider's resources after the database was restored from an older backup.
import { unattended } from '../../src/provider/caller.ts';
import { servicesFor } from '../../src/start/app.ts';
import { audit } from '../action.ts';
import { type CommandCall, type CommandSpec, OpsFailure, UsageError, valuesOf } from '../command.ts';
import { count } from '../format.ts';
import { findOrphans, knownIdsOption } from '../orphans.ts';
import { type Adopted, adopt, type Orphan } from '../recovery/recovery.ts';
import { printList, stateColumn } from '../table.ts';

export const recoveryAdoptCommand: CommandSpec = {
  name: 'recovery adopt',
  summary: 'create the missing rows of resources that `recovery list` shows',
  options: {
    id: { placeholder: '<id,...>', summary: "these resources, by the provider's id or by their handle" },
    all: { summary: 'every resource that can be adopted' },
    ...knownIdsOption,
  },
  run,
};

async function run(call: CommandCall): Promise<void> {
  const { id, all } = call.options;
  const wanted = valuesOf(id);
  if (wanted.length === 0 && all !== true)
    throw new UsageError('Say which resources to adopt: --id <id,...> or --all.');
  const isWanted = ({ providerRef, handle, match }: Orphan): boolean =>
    all === true ? match.becomes !== null : wanted.includes(providerRef) || wanted.includes(handle);
  const orphans = await findOrphans(call, { isWanted });
  if (orphans.length === 0) throw new OpsFailure('The provider has no such resource that lacks a row here.');
  await adoptAll(call, orphans);
}

type Result = Adopted & { providerRef: string };

async function adoptAll(call: CommandCall, orphans: Orphan[]): Promise<void> {
  const { app, out, operator, signal } = call;
  const services = servicesFor(app, unattended);
  const results: Result[] = [];
  for (const orphan of orphans) {
    if (signal.aborted) break;
    out.progress(`Adopting: ${results.length} of ${orphans.length}`);
    const adopted = await adopt(services, orphan, { kind: 'operator', id: operator });
    if (adopted.id !== null) await audit(app.db, call, { target: adopted.id, userId: orphan.match.userId });
    results.push({ providerRef: orphan.providerRef, ...adopted });
  }
  printList({ out, limit: results.length }, results, 'Nothing was adopted.', [
    { title: 'at the provider', of: ({ providerRef }) => providerRef },
    { title: 'here', of: ({ id }) => id ?? '' },
    stateColumn('state', ({ state }) => state ?? ''),
    { title: 'why', of: ({ why }) => why ?? '' },
  ]);
  const remaining = orphans.length - results.filter(({ id }) => id !== null).length;
  if (remaining > 0) throw new OpsFailure(`${count(remaining, 'resource')} could not be adopted.`);
}
