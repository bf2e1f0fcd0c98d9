// When everything has come to rest, each person's app reads everything once more: what it shows then is the last word.
import type { Person } from './people.ts';

/** More than one person of a run has of anything. */
const MOST = 1_000;
const LISTS = [`/pix/payments?limit=${MOST}`, `/withdraws?limit=${MOST}`, `/transactions?limit=${MOST}`];

export async function readEverything(people: Person[]): Promise<void> {
  // A balance that nobody asks for stays as it was kept last: the auditor wants to see some of those, too.
  for (const [index, { id, client }] of people.entries())
    for (const path of index % 2 === 0 ? [...LISTS, '/me'] : LISTS) {
      const { status, body } = await client.ask({ method: 'GET', path });
      if (status !== 200) throw new Error(`${path} of ${id} answers ${status}: ${JSON.stringify(body)}`);
    }
}
