// The final tables of a run.
import { markdownTable } from '../../harness/report.ts';

export type Row = { points: number; reached: number; endedRight: number };

export function table(rows: Map<string, Row>): string {
  const total = { points: 0, reached: 0, endedRight: 0 };
  for (const row of rows.values()) {
    total.points += row.points;
    total.reached += row.reached;
    total.endedRight += row.endedRight;
  }
  return markdownTable(
    ['Flow', 'Points', 'Reached', 'Ended right'],
    [...rows, ['**all**', total] as const].map(([name, { points, reached, endedRight }]) => [
      name,
      points,
      reached,
      endedRight,
    ]),
  );
}

/** @param decided how many decisions of each actor were run twice. */
export const tableOfTwice = (decided: Map<string, number>): string =>
  markdownTable(
    ['Decided twice by', 'Times'],
    [...decided].toSorted(([one], [other]) => one.localeCompare(other)),
  );
