// Lists the parts of completed payments that came back and are not converted yet, the oldest first.
import { listPartialReturns } from '../../src/tables/payout-refunds/statements.ts';
import type { CommandSpec } from '../command.ts';
import { age, amount } from '../format.ts';
import { printList, stateColumn } from '../table.ts';

export const partialReturnsCommand: CommandSpec = {
  name: 'partial-returns',
  summary: 'parts of completed payments that came back and are not converted yet',
  isList: true,
  run: async ({ app, out, limit }) => {
    const rows = await listPartialReturns(app.db, { limit: limit + 1 });
    printList({ out, limit }, rows, 'No partial return waits for its conversion.', [
      { title: 'payment', of: ({ paymentId }) => paymentId },
      { title: 'movement', of: ({ movementRef }) => movementRef },
      { title: 'amount', of: ({ amountBrlMinor }) => amount(amountBrlMinor, 'BRL'), alignRight: true },
      stateColumn('state', ({ state }) => state),
      { title: 'since', of: ({ since }) => age(since, out.now), alignRight: true },
    ]);
  },
};
