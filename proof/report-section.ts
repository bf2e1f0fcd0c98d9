// Replaces the section of a document that a run writes, between markers. The rest of the document stays.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

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
