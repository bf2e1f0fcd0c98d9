// The processes that run work, with their heartbeats.
import { sql } from 'kysely';
import { equals, prepared } from '../prepared.ts';

export const registerProcess = prepared.count(
  (_db, { id, name }: { id: string; name: string }) => sql`
    insert into processes (id, name, started_at, heartbeat_at) values (${id}, ${name}, now(), now())
    on conflict do nothing`,
);

/** Increments the heartbeat of a process and lists the heartbeats of all. Lists none if the process is no longer registered. */
export const writeHeartbeat = prepared.all(
  (_db, { id, heldUp }: { id: string; heldUp: string[] }) => sql<{ id: string; heartbeat: number }>`
    with beat as (
      update processes set heartbeat = heartbeat + 1, heartbeat_at = now(), held_up = ${heldUp}
      where id = ${id} returning id
    )
    select id, heartbeat from processes where exists (select from beat)`,
);

/** Lists what the provider holds up in any process: types of work, and operations of the provider. */
export const listHeldUp = prepared.all(
  () => sql<{ name: string }>`select distinct unnest(held_up) as name from processes`,
);

export const deleteProcess = prepared.count((db, { id }: { id: string }) =>
  db.deleteFrom('Process').where('id', '=', id),
);

/** Deletes a process unless it has written its heartbeat in the meantime. */
export const deleteDeadProcess = prepared.count((db, { id, heartbeat }: { id: string; heartbeat: number }) =>
  db.deleteFrom('Process').where(equals({ id, heartbeat })),
);

/** The channel on which processes tell each other that work is due. */
export const CHANNEL = 'ponte_outbox';

export const listenForWork = prepared.count(() => sql`listen ${sql.id(CHANNEL)}`);

export const notifyOfWork = prepared.all(() => sql`select pg_notify(${sql.lit(CHANNEL)}, '')`);
