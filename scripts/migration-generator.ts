// Writes the files of a migration. A migration that adds values to a type becomes two, because a value can be used only after the
// database transaction that adds it.
import { TSMigrationGenerator } from '@mikro-orm/migrations';
import { states } from '../machines/states.ts';
import { isAmong } from '../src/tables/columns.ts';

type Diff = { up: string[]; down: string[] };
type Index = { name: string; on: string; formerlyOn: string };

/** MikroORM's generator, for new states and other listed values. */
export class MigrationGenerator extends TSMigrationGenerator {
  #rebuilt: Index[] = [];

  /** Writes the migration, and after it the one that rebuilds the indexes whose conditions changed with the values of a type. */
  override async generate(diff: Diff, path?: string, name?: string): Promise<[string, string]> {
    const { first, rebuilt } = split(diff);
    const written = await super.generate(first, path, name);
    if (rebuilt.length === 0) return written;
    this.#rebuilt = rebuilt;
    const [, indexesFile] = await super.generate(first, path, 'indexes');
    return [written[0], `${written[1]} and ${indexesFile}`];
  }

  override generateMigrationFile(className: string, diff: Diff): string {
    if (this.#rebuilt.length > 0) return rebuildFile(className, this.#rebuilt);
    const file = super.generateMigrationFile(className, diff);
    return diff.down.length > 0 ? file : file.replace(/\}\n$/, KEEPS_VALUES);
  }
}

const KEEPS_VALUES = `  override down(): void {
    // A type keeps a value once it has it: a former version leaves it unused.
  }
}
`;

const addsValue = (statement: string): boolean => /^alter type \S+ add value/.test(statement);

/** The first migration adds the values. The second rebuilds the indexes, if their conditions may name the values. */
function split({ up, down }: Diff): { first: Diff; rebuilt: Index[] } {
  if (!up.some(addsValue)) return { first: { up, down }, rebuilt: [] };
  const former = new Map(down.flatMap(createdIndex));
  const rebuilt = up.flatMap(createdIndex).flatMap(([name, on]) => {
    const formerlyOn = former.get(name);
    return formerlyOn === undefined ? [] : [{ name, on, formerlyOn }];
  });
  const names = new Set(rebuilt.map(({ name }) => name));
  const isFirst = (statement: string): boolean =>
    ![createdIndex(statement), droppedIndex(statement)].some(([index]) => index && names.has(index[0]));
  const changesStates = up.some((statement) => lifecycles.some((kind) => addsStateOf(kind, statement)));
  return {
    first: {
      up: [...up.filter(isFirst), ...(changesStates ? [isStateOf()] : [])],
      down: down.filter(isFirst),
    },
    rebuilt,
  };
}

const createdIndex = (statement: string): [name: string, on: string][] =>
  named(/^create index "?(?<name>\w+)"? on (?<on>.*?);?$/s, statement);
const droppedIndex = (statement: string): [name: string, on: string][] =>
  named(/^drop index "?(?<name>\w+)"?;?(?<on>)$/, statement);

function named(pattern: RegExp, statement: string): [name: string, on: string][] {
  const { name, on } = pattern.exec(statement)?.groups ?? {};
  return name === undefined || on === undefined ? [] : [[name, on]];
}

const lifecycles = Object.keys(states) as (keyof typeof states)[];

const addsStateOf = (kind: string, statement: string): boolean =>
  addsValue(statement) && statement.includes(`"${kind}_state"`);

/** The function that the check of the history calls. Null is a state of no lifecycle, so the answer to it is null. */
function isStateOf(): string {
  const cases = lifecycles.map((kind) => `when '${kind}' then ${isAmong('state', states[kind])}`);
  return `create or replace function is_state_of(kind subject_kind, state text) returns boolean
      immutable strict parallel safe language plpgsql as $$ begin
        return case kind ${cases.join('\n          ')}
          else false end;
      end $$;`;
}

const rebuildFile = (
  className: string,
  indexes: Index[],
): string => `// The indexes whose conditions name the new values.
import { RebuiltIndexes } from './bases/rebuilt-indexes.ts';

export class ${className} extends RebuiltIndexes {
  override name = '${className}';

  readonly indexes = [
${indexes.map(({ name, on, formerlyOn }) => `    { name: '${name}', on: \`${on}\`, formerlyOn: \`${formerlyOn}\` },`).join('\n')}
  ];
}
`;
