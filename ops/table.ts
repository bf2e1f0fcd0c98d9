// Prints lists as tables. Columns are as wide as their widest cell, numbers are aligned right, and colours are used if the output has
// them.
import { oneLine, paintState } from './format.ts';
import type { Output, Style } from './output.ts';

type Column<Row> = {
  title: string;
  of: (row: Row) => string;
  alignRight?: boolean;
  paint?: (row: Row, style: Style) => (text: string) => string;
};

export const stateColumn = <Row>(title: string, of: (row: Row) => string): Column<Row> => ({
  title,
  of,
  paint: (row, style) => paintState(of(row), style),
});

/** Returns the lines of a table without trailing blanks. The first line has the titles. Without rows there are no lines. */
export function table<Row>(style: Style, rows: Row[], columns: Column<Row>[]): string[] {
  if (rows.length === 0) return [];
  const cells = rows.map((row) => columns.map(({ of }) => oneLine(of(row))));
  const widths = columns.map(({ title }, at) =>
    Math.max(title.length, ...cells.map((line) => line[at]?.length ?? 0)),
  );
  /** Formats one line. Only the text is painted, so that colour codes do not count as width. */
  const line = (texts: string[], paint: (text: string, at: number) => string): string =>
    texts
      .map((text, at) => {
        const blank = ' '.repeat((widths[at] ?? 0) - text.length);
        return columns[at]?.alignRight ? blank + paint(text, at) : paint(text, at) + blank;
      })
      .join('  ')
      .trimEnd();
  const titles = columns.map(({ title }) => title);
  return [
    line(titles, style.dim),
    ...rows.map((row, index) =>
      line(cells[index] ?? [], (text, at) => columns[at]?.paint?.(row, style)(text) ?? text),
    ),
  ];
}

/**
 * Prints a list, or `nothing` if it is empty.
 * @param rows at most `limit` + 1 rows: the additional row shows that there are more.
 */
export function printList<Row>(
  { out, limit }: { out: Output; limit: number },
  rows: Row[],
  nothing: string,
  columns: Column<Row>[],
): void {
  const printed = rows.slice(0, limit);
  if (out.isJson) return out.json(printed);
  if (printed.length === 0) return out.print(nothing);
  for (const line of table(out.style, printed, columns)) out.print(line);
  if (rows.length > limit) out.note(out.style.dim(`The first ${limit}; there are more (--limit).`));
}

/** Prints a title and its indented lines, or `nothing` if there are none. */
export function printSection(
  { print, style }: Output,
  title: string,
  lines: string[],
  nothing = 'none',
): void {
  print(`\n${style.bold(title)}`);
  for (const line of lines.length === 0 ? [nothing] : lines) print(`  ${line}`);
}
