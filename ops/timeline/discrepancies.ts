// Tells the discrepancies of one subject in words, next to what the provider shows now.
import type { Currency } from '../../src/domain/currency.ts';
import { listDiscrepanciesOf } from '../../src/tables/ops/timeline.ts';
import type { Db } from '../../src/tables/orm.ts';
import { discrepancyText } from '../discrepancy-words.ts';
import { oneLine } from '../format.ts';

export type DiscrepancyLine = {
  id: string;
  kind: string;
  at: Date;
  text: string;
  /** The resolution; null while the discrepancy is open. */
  resolution: string | null;
};

/** @param home the currency of the user's account. Conversions of a payment start from it or end in it. */
export async function discrepanciesOf(
  db: Db,
  { id, userId }: { id: string; userId: string },
  home: Currency,
): Promise<DiscrepancyLine[]> {
  const rows = await listDiscrepanciesOf(db, { subjectId: id, userId });
  const lines = rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    at: row.occurredAt,
    text: discrepancyText(row, home),
    resolution: row.resolution === null ? null : oneLine(row.resolution),
  }));
  return lines.toSorted((one, other) => one.at.getTime() - other.at.getTime());
}
