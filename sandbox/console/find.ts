// Finds the page of the resource that has a uuid, a handle, an id that the app shows, or an id of the client.
import type { SandboxContext } from '../context.ts';

/** The ids of each resource besides its uuid. The app shows payment receipts and bank details. */
const OTHER_IDS = [
  ['owners', ['external_id']],
  ['accounts', ['external_id', 'account_number', 'iban']],
  ['transfers', ['origin_id']],
  ['payouts', ['origin_id', 'end_to_end_id', 'voucher_id']],
] as const;

/** Returns undefined if no resource has it. Returns the first of several twins. */
export function addressOf(context: SandboxContext, text: string): string | undefined {
  const wanted = text.trim();
  const names = [wanted, ...context.options.handlesOf(wanted.toLowerCase())];
  for (const name of names) {
    const address = addressOfOne(context, name);
    if (address !== undefined) return address;
  }
}

function addressOfOne({ store }: SandboxContext, wanted: string): string | undefined {
  for (const [table, columns] of OTHER_IDS) {
    const row = store.get<{ uuid: string }>(
      `select uuid from ${table} where uuid = ? or ? in (${columns.join(', ')}) order by seq limit 1`,
      wanted.toLowerCase(),
      wanted,
    );
    if (row) return `/console/${table}/${row.uuid}`;
  }
  const movement = store.get('select 1 from movements where uuid = ?', wanted.toLowerCase());
  return movement === undefined ? undefined : `/console/movements/${wanted.toLowerCase()}`;
}
