// The project's documents as text, and what they refer to.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

export const inProject = (file: string): string => path.join(root, file);

export const documentText = (file: string): string => readFileSync(inProject(file), 'utf8');

/** Every document of the project, as a path from its root. */
export const documents = (): string[] =>
  ['*.md', '.github/**/*.md', '{docs,machines,packages/*,sandbox,src,proof,bench,openapi}/**/*.md']
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => !file.includes('node_modules/'))
    .toSorted();

/** `[name]: target`, at the end of a document. */
const referencesIn = (text: string): Map<string, string> =>
  new Map(
    [...text.matchAll(/^\[(?<name>[^\]]+)\]: (?<target>\S+)$/gm)].map(({ groups = {} }) => [
      groups['name'] ?? '',
      groups['target'] ?? '',
    ]),
  );

/** Returns the targets of a document's links, inline and by reference. Code and fenced blocks have no links. */
export function linksIn(text: string): string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '');
  return [
    ...[...prose.matchAll(/\]\((?<target>[^)\s]+)\)/g)].map(({ groups = {} }) => groups['target'] ?? ''),
    ...referencesIn(prose).values(),
  ];
}

/** The section under a heading, up to the next heading of the same rank. */
export function sectionOf(text: string, heading: string): string {
  const marks = heading.slice(0, heading.indexOf(' '));
  const [, after = ''] = text.split(`\n${heading}\n`);
  return after.split(new RegExp(`^${marks} `, 'm'))[0] ?? '';
}

/** The cells of a section's tables, without their heads. */
export const rowsIn = (section: string): string[][] =>
  section
    .split('\n')
    .filter((line, number, lines) => line.startsWith('|') && isBody(lines, number))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

const isBody = (lines: string[], number: number): boolean =>
  !isRule(lines[number]) && !isRule(lines[number + 1]);

const isRule = (line = ''): boolean => line.startsWith('| -');

/** As GitHub makes an anchor out of a heading. */
export function anchorsIn(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const { groups = {} } of text.matchAll(/^#+ (?<heading>.+)$/gm)) {
    const anchor = (groups['heading'] ?? '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-');
    // Headings with the same text are numbered.
    let unused = anchor;
    for (let number = 1; anchors.has(unused); number += 1) unused = `${anchor}-${number}`;
    anchors.add(unused);
  }
  return anchors;
}
