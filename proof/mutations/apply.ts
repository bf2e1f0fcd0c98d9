// Makes a copy of the project to mutate: the sources are copied, the installed packages are linked.
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../harness/processes/node-process.ts';
import type { Edit, Mutation } from './mutations.ts';

const COPIED = [
  'harness',
  'src',
  'machines',
  'openapi',
  'ops',
  'packages',
  'sandbox',
  'scripts',
  'test',
  'docker-compose.yml',
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
];

/** @returns the mutated text of the changed files, by their path. */
export function edited({ name, edits }: Mutation, read: (file: string) => string): Map<string, string> {
  const files = new Map<string, string>();
  for (const { file, find, replace } of edits) {
    const text = files.get(file) ?? read(file);
    const found = text.split(find).length - 1;
    if (found !== 1) throw new Error(`"${name}" cannot be made: its words are ${found} times in ${file}`);
    files.set(
      file,
      text.replace(find, () => replace),
    );
  }
  return files;
}

export const readSource = (file: Edit['file']): string => readFileSync(join(ROOT, file), 'utf8');

/**
 * @param bug the mutation to apply to the copy. Null applies none.
 * @returns the folder of the copy, and a function that removes it.
 */
export function copyWith(bug: Mutation | null): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'ponte-mutation-'));
  for (const name of COPIED) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const [file, text] of bug ? edited(bug, readSource) : []) writeFileSync(join(folder, file), text);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
