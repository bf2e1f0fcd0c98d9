// The project's own source files and their imports. The text is read in a simple way, which is enough for rules about imports.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** `from` is a path from the project's root for the project's files, and the package's name for others. */
export type Import = { from: string; isType: boolean };
/** `code` is the text without its comments. */
export type Source = { file: string; code: string; imports: Import[] };

const root = path.resolve(import.meta.dirname, '../..');

export const sourcesIn = (...folders: string[]): Source[] =>
  folders
    .flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }))
    .map((name) => name.split(path.sep).join('/'))
    .map((file) => {
      const code = withoutComments(readFileSync(path.join(root, file), 'utf8'));
      return { file, code, imports: importsIn(file, code) };
    });

const withoutComments = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');

const statement =
  /^(?:import|export)\s+(?<type>type\s)?(?<names>[^'"`;]*?\sfrom\s+)?'(?<named>[^']+)'|\bimport\('(?<dynamic>[^']+)'\)/gm;

const importsIn = (file: string, code: string): Import[] =>
  [...code.matchAll(statement)].map(({ groups = {} }) => {
    const { type, names, named, dynamic } = groups;
    const from = named ?? dynamic ?? '';
    return {
      from: from.startsWith('.') ? path.posix.join(path.posix.dirname(file), from) : from,
      isType: type !== undefined || onlyTypes(names),
    };
  });

/** Returns whether the braces name only types, as in `import { type One, type Other } from`. */
function onlyTypes(names: string | undefined): boolean {
  const [, inBraces] = /^\{(.*)\}\s+from\s+$/s.exec(names ?? '') ?? [];
  const each = (inBraces ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  return each.length > 0 && each.every((name) => name.startsWith('type '));
}

/** Returns each circle of imports, type-only imports included. */
export function circlesIn(sources: Source[]): string[][] {
  const importsOf = new Map(sources.map(({ file, imports }) => [file, imports.map(({ from }) => from)]));
  const done = new Set<string>();
  const circles: string[][] = [];
  const follow = (file: string, way: string[]): void => {
    if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file]);
    if (way.includes(file) || done.has(file)) return;
    for (const next of importsOf.get(file) ?? []) follow(next, [...way, file]);
    done.add(file);
  };
  for (const { file } of sources) follow(file, []);
  return circles;
}

/** The files that load `target` when they are loaded, directly or through others. A type-only import loads nothing. */
export function loading(target: string, sources: Source[]): Set<string> {
  const found = new Set([target]);
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const { file, imports } of sources)
      if (imports.some(({ from, isType }) => !isType && found.has(from))) found.add(file);
  }
  return found;
}

/** Returns each exported value that no other file names when it imports from the file, as `file: name`. */
export function unusedExports(exporting: Source[], all: Source[]): string[] {
  const named = new Set(all.flatMap(namesImportedIn));
  return exporting.flatMap(({ file, code }) =>
    [...code.matchAll(/^export (?:async )?(?:const|function\*?|class) (\w+)/gm)]
      .map(([, name]) => name)
      .filter((name) => !named.has(`${file} ${name}`) && !named.has(`${file} *`))
      .map((name) => `${file}: ${name}`),
  );
}

const withNames =
  /(?:\{(?<names>[^{}]*)\}|\* as \w+)\s*(?:from\s+|=\s*\(?\s*await import\()'(?<from>\.[^']+)'|import\('(?<whole>\.[^']+)'\)/g;

/** The imported names as `file name`. `*` means every name of the file. */
const namesImportedIn = ({ file, code }: Source): string[] =>
  [...code.matchAll(withNames)].flatMap(({ groups = {} }) => {
    const { names, from, whole } = groups;
    const target = path.posix.join(path.posix.dirname(file), from ?? whole ?? '');
    if (names === undefined) return [`${target} *`];
    return names.split(',').map(
      (one) =>
        `${target} ${one
          .trim()
          .replace(/^type /, '')
          .split(/ as |:/)[0]
          ?.trim()}`,
    );
  });
