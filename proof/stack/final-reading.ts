// When the system is at rest, each user's app reads everything once more, and sees the final values.
import type { Person } from './people.ts';

/** A page size above the number of objects that a user of a run has. */
const MOST = 1_000;
const LISTS = [`/pix/payments?limit=${MOST}`, `/withdraws?limit=${MOST}`, `/transactions?limit=${MOST}`];

export async function readEverything(people: Person[]): Promise<void> {
  // A balance that is not read stays as it was cached. The auditor needs some of those.
  for (const [index, { id, client }] of people.entries())
    for (const path of index % 2 === 0 ? [...LISTS, '/me'] : LISTS) {
      const { status, body } = await client.ask({ method: 'GET', path });
      if (status !== 200) throw new Error(`${path} of ${id} answers ${status}: ${JSON.stringify(body)}`);
    }
}
