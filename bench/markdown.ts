// A table as the documents have it.

/** The first column is text, the others are figures. */
export function markdownTable(heads: string[], rows: string[][]): string {
  const rule = heads.map((_head, at) => (at === 0 ? '---' : '---:'));
  return [heads, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
