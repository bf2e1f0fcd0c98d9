// Starts worker processes and reads their rows and logs.
import { sql } from 'kysely';
import { type ServiceProcess, startReadyProcess } from '../support/process.ts';
import { until } from '../support/until.ts';
import type { World } from '../support/world.ts';

/** Starts a worker for a world whose own process serves HTTP only. */
export const startWorker = ({ env }: World, more: NodeJS.ProcessEnv = {}): Promise<ServiceProcess> =>
  startReadyProcess({ ...env, ROLE: 'worker', LOG_LEVEL: 'info', ...more });

export const logged = ({ output }: ServiceProcess, code: string): number =>
  output().split(`"code":"${code}"`).length - 1;

export type ProcessRow = { id: string; pid: number; heartbeat: number };

export async function processesIn({ service }: World): Promise<ProcessRow[]> {
  const { rows } = await sql<ProcessRow>`
    select id, split_part(name, ':', -1)::int as pid, heartbeat from processes order by id
  `.execute(service.app.db);
  return rows;
}

export async function rowOf(world: World, { child }: ServiceProcess): Promise<ProcessRow> {
  const row = (rows: ProcessRow[]) => rows.find(({ pid }) => pid === child.pid);
  const found = row(
    await until(
      () => processesIn(world),
      (rows) => row(rows) !== undefined,
    ),
  );
  if (!found) throw new Error('not registered');
  return found;
}

export async function allBeat(world: World, before: ProcessRow[], times: number, withinMs = 100_000) {
  const has = (rows: ProcessRow[]) =>
    before.every(({ id, heartbeat }) =>
      rows.some((row) => row.id === id && row.heartbeat >= heartbeat + times),
    );
  await until(() => processesIn(world), has, withinMs);
}
