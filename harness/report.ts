// Formats what a run measured, and writes it into documents.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';

export type Cell = string | number;

/** Formats a table, aligned for a terminal as well. The first column is text, and the others are figures. */
export function markdownTable(heads: string[], rows: Cell[][]): string {
  const widths = heads.map((head, at) => Math.max(head.length, ...rows.map((row) => String(row[at]).length)));
  const line = (cells: Cell[]): string =>
    `| ${cells.map((cell, at) => (at === 0 ? String(cell).padEnd(widths[at] ?? 0) : String(cell).padStart(widths[at] ?? 0))).join(' | ')} |`;
  const rule = widths.map((width, at) => (at === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [line(heads), line(rule), ...rows.map(line)].join('\n');
}

/** Formats a duration. Null is one that did not end. */
export const seconds = (ms: number | null): string =>
  ms === null ? 'never' : `${(ms / 1_000).toFixed(1)} s`;

/** Describes the machine that a figure was measured on. */
export const machine = (): string =>
  `${cpus().length} x ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;

/** Returns the median. One slow value does not move it. */
export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}

/** Returns the value below which this share of the values is, or NaN without values. */
export function quantile(values: number[], share: number): number {
  const index = Math.min(values.length - 1, Math.floor(values.length * share));
  return values.toSorted((a, b) => a - b)[index] ?? Number.NaN;
}

/** `heading` is of the second level. If the document has no markers, they are added under it. */
export type Section = { heading: string; begin: string; end: string };

/** Replaces what the last run wrote. */
export function writeSection(file: string, { heading, begin, end }: Section, tables: string): void {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '# Reliability\n';
  const block = `${begin}\n\n${tables}\n\n${end}`;
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from >= 0 && to > from) {
    writeFileSync(file, text.slice(0, from) + block + text.slice(to + end.length));
    return;
  }
  const found = new RegExp(`^## ${heading} *$`, 'm').exec(text);
  if (!found) writeFileSync(file, `${text.trimEnd()}\n\n## ${heading}\n\n${block}\n`);
  else {
    const after = found.index + found[0].length;
    const next = text.indexOf('\n## ', after);
    const at = next < 0 ? text.length : next;
    writeFileSync(file, `${text.slice(0, at).trimEnd()}\n\n${block}\n${text.slice(at)}`);
  }
}
