// From the words of the command line to a command and its options, or to a sentence that says what is wrong.
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { validate as isUuid } from 'uuid';
import { type Command, listed, type OptionSpec, UsageError } from './command.ts';
import { commands } from './commands.ts';

const LIMIT_DEFAULT = 50;
const LIMIT_MOST = 1_000;
const REASON_LONGEST = 1_000;

/** Where options are set apart for `npm run`. */
const common: Record<string, OptionSpec> = {
  json: { type: 'boolean', summary: 'for machines' },
  help: { type: 'boolean', summary: 'this, or the help of a command' },
};
const listOptions: Record<string, OptionSpec> = {
  limit: {
    type: 'string',
    placeholder: '<1-1000>',
    summary: 'how many rows',
    default: String(LIMIT_DEFAULT),
  },
};
const changeOptions: Record<string, OptionSpec> = {
  reason: { type: 'string', placeholder: '"<why>"', summary: 'recorded with the change' },
  operator: { type: 'string', placeholder: '<name>', summary: 'who you are; $USER unless given' },
};

export type Parsed =
  | { kind: 'help'; command: Command | null; hasAsked: boolean }
  | {
      kind: 'run';
      command: Command;
      argument: string;
      options: Record<string, string | boolean | undefined>;
      isJson: boolean;
      limit: number;
      operator: string;
      reason: string;
    };

/**
 * @param user the name to go by where --operator is not given.
 * @throws UsageError
 */
export function parse(argv: string[], user: string | undefined): Parsed {
  const [name] = argv;
  if (name === undefined) return { kind: 'help', command: null, hasAsked: true };
  if (name === '--help' || name === '-h' || name === 'help')
    return { kind: 'help', command: commandIn(argv.slice(1)), hasAsked: true };
  const command = commandIn(argv);
  if (!command) throw new UsageError(unknownCommand(name));

  const { values, positionals } = read(command, argv.slice(wordsOf(command)));
  if (values['help'] === true) return { kind: 'help', command, hasAsked: true };
  checkLists(command, values);
  const changes = isChange(command, values);
  return {
    kind: 'run',
    command,
    argument: argumentOf(command, positionals),
    options: values,
    isJson: values['json'] === true,
    limit: limitOf(command, values['limit']),
    operator: changes ? operatorOf(command, values['operator'], user) : '',
    reason: changes ? reasonOf(command, values['reason']) : '',
  };
}

export const optionsOf = (command: Command): Record<string, OptionSpec> => ({
  ...command.options,
  ...(command.isList && listOptions),
  ...(command.changes && changeOptions),
  ...common,
});

/** The one that the first words name; a command may have two, of which the first is another command. */
const commandIn = (argv: string[]): Command | null =>
  commands
    .filter((command) => argv.slice(0, wordsOf(command)).join(' ') === command.name)
    .toSorted((a, b) => wordsOf(b) - wordsOf(a))[0] ?? null;

const wordsOf = ({ name }: Command): number => name.split(' ').length;

type Values = Record<string, string | boolean | undefined>;

function read(command: Command, args: string[]): { values: Values; positionals: string[] } {
  const options: ParseArgsConfig['options'] = {};
  for (const [name, { type, default: otherwise }] of Object.entries(optionsOf(command)))
    options[name] = {
      type,
      ...(otherwise !== undefined && { default: otherwise }),
      ...(name === 'help' && { short: 'h' }),
    };
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true, strict: true });
    return { values: values as Values, positionals };
  } catch (error) {
    // The first sentence names the option; what follows explains dashes.
    const [sentence] = (error instanceof Error ? error.message : String(error)).split('. ');
    throw new UsageError(`${sentence}.`.replace(/\.\.$/, '.'), command.name);
  }
}

function argumentOf({ name, argument }: Command, positionals: string[]): string {
  const [given = '', ...more] = positionals;
  if (!argument) {
    if (given !== '') throw new UsageError(`${name} takes no argument, and "${given}" is one.`, name);
    return '';
  }
  if (given === '') throw new UsageError(`${name} needs a <${argument.name}>.`, name);
  if (more.length > 0) throw new UsageError(`${name} takes one <${argument.name}> at a time.`, name);
  if (argument.form === 'uuid' && !isUuid(given))
    throw new UsageError(`"${given}" is no id; ids look like 019ab5e2-7c1f-7d3a-9c55-0a1b2c3d4e5f.`, name);
  return argument.form === 'uuid' ? given.toLowerCase() : given;
}

function checkLists(command: Command, values: Values): void {
  for (const [name, spec] of Object.entries(command.options ?? {})) {
    const stray = listed(values[name]).find((one) => spec.values && !spec.values.includes(one));
    if (stray !== undefined)
      throw new UsageError(
        `--${name} knows no "${stray}"; it takes ${spec.values?.join(', ')}.`,
        command.name,
      );
  }
}

function limitOf({ name, isList }: Command, text: string | boolean | undefined): number {
  const limit = Number(text ?? LIMIT_DEFAULT);
  if (isList && !(Number.isInteger(limit) && limit >= 1 && limit <= LIMIT_MOST))
    throw new UsageError(`--limit must be a whole number from 1 to ${LIMIT_MOST}.`, name);
  return limit;
}

const isChange = ({ changes }: Command, values: Values): boolean =>
  changes === true || (changes?.under.some((option) => values[option] !== undefined) ?? false);

function operatorOf(
  { name }: Command,
  given: string | boolean | undefined,
  user: string | undefined,
): string {
  const operator = String(given ?? user ?? '').trim();
  if (operator === '')
    throw new UsageError('Who are you? $USER is not set: say it with --operator <name>.', name);
  return operator;
}

function reasonOf({ name }: Command, given: string | boolean | undefined): string {
  const reason = String(given ?? '').trim();
  if (reason === '') throw new UsageError(`${name} changes something: say why with --reason "...".`, name);
  if (reason.length > REASON_LONGEST)
    throw new UsageError(`--reason may have ${REASON_LONGEST} characters at most.`, name);
  return reason;
}

function unknownCommand(name: string): string {
  const nearest = commands
    .map((command) => ({
      name: command.name,
      distance: command.name.startsWith(name) ? 0 : distance(name, command.name),
    }))
    .toSorted((a, b) => a.distance - b.distance)[0];
  const isNear = nearest && nearest.distance <= Math.max(2, name.length / 3);
  return `There is no command "${name}".${isNear ? ` Did you mean ${nearest.name}?` : ''}`;
}

/** How many letters must be put in, left out or changed to make one word of the other (Levenshtein). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [at, letter] of Array.from(one).entries()) {
    const next = [at + 1];
    for (const [column, otherLetter] of Array.from(other).entries())
      next.push(
        Math.min(
          (next[column] ?? 0) + 1,
          (row[column + 1] ?? 0) + 1,
          (row[column] ?? 0) + (letter === otherLetter ? 0 : 1),
        ),
      );
    row = next;
  }
  return row[other.length] ?? 0;
}
