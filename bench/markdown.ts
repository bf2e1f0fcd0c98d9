// Formats a table as the documents contain it.

/** Aligns the first column as text, and the others as figures. */
export function markdownTable(heads: string[], rows: string[][]): string {
  const rule = heads.map((_head, at) => (at === 0 ? '---' : '---:'));
  return [heads, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
