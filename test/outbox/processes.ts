// Processes that carry out work beside one another, and what can be seen of them: their rows and their log.
import { sql } from 'kysely';
import { type ServiceProcess, startReadyProcess } from '../support/process.ts';
import { until } from '../support/until.ts';
import type { World } from '../support/world.ts';

/** Of a world whose own process serves HTTP only. */
export const startWorker = ({ env }: World, more: NodeJS.ProcessEnv = {}): Promise<ServiceProcess> =>
  startReadyProcess({ ...env, ROLE: 'worker', LOG_LEVEL: 'info', ...more });

/** How often it has logged the code. */
export const logged = ({ output }: ServiceProcess, code: string): number =>
  output().split(`"code":"${code}"`).length - 1;

export type ProcessRow = { id: string; pid: number; heartbeat: number };

/** The processes that are registered. */
export async function processesIn({ service }: World): Promise<ProcessRow[]> {
  const { rows } = await sql<ProcessRow>`
    select id, split_part(name, ':', -1)::int as pid, heartbeat from processes order by id
  `.execute(service.app.db);
  return rows;
}

/** Waits until the process is registered. */
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

/** Waits until each of these processes, under the id that it had, has written so many heartbeats more. */
export async function allBeat(world: World, before: ProcessRow[], times: number, withinMs = 100_000) {
  const has = (rows: ProcessRow[]) =>
    before.every(({ id, heartbeat }) =>
      rows.some((row) => row.id === id && row.heartbeat >= heartbeat + times),
    );
  await until(() => processesIn(world), has, withinMs);
}
