// The options and arguments of commands. Each is validated when it is parsed, before the app is started.
import { Argument, InvalidArgumentError, Option } from 'commander';
import { validate as isUuid } from 'uuid';
import { type CommandSpec, type OptionSpec, UsageError, valuesOf } from './command.ts';

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 1_000;
const TEXT_MAX_LENGTH = 1_000;
const OPERATOR_NAME = /^[a-z0-9._@-]{1,100}$/;

/** Returns whether the name has one spelling only, so that two different names are two operators. */
export const isOperatorName = (name: string): boolean => OPERATOR_NAME.test(name);

/** @throws UsageError if the name can be another spelling of an operator's name. It comes from --operator or $USER. */
export function assertOperatorName(name: string): void {
  if (isOperatorName(name)) return;
  throw new UsageError(
    `"${name}" cannot be an operator's name: it takes only a-z, 0-9 and . _ @ -, up to 100 of them. Set another one with --operator.`,
  );
}

export function argumentOf({ name, form }: NonNullable<CommandSpec['argument']>): Argument {
  const argument = new Argument(`<${name}>`);
  return form === 'uuid' ? argument.argParser(parseUuid) : argument;
}

export function optionOf(name: string, spec: OptionSpec): Option {
  const { placeholder, summary, default: otherwise, isRequired = false, values } = spec;
  const option = new Option(
    placeholder === undefined ? `--${name}` : `--${name} ${placeholder}`,
    values ? `${summary}: ${values.join(', ')}` : summary,
  );
  if (otherwise !== undefined) option.default(otherwise, otherwise);
  if (values) option.argParser((text) => parseList(text, values));
  return option.makeOptionMandatory(isRequired);
}

export const jsonOption = (): Option => new Option('--json', 'one JSON value, for machines');

export const limitOption = (): Option =>
  new Option('--limit <1-1000>', 'how many rows').default(LIMIT_DEFAULT).argParser(parseLimit);

export const actionOptions = (user: string | undefined): Option[] => [
  new Option('--reason <why>', 'recorded with the change').argParser(parseText).makeOptionMandatory(),
  new Option('--operator <name>', 'who you are, in a-z, 0-9 and . _ @ -')
    .default(user || undefined, '$USER')
    .makeOptionMandatory(),
];

function parseUuid(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError('Ids look like 019ab5e2-7c1f-7d3a-9c55-0a1b2c3d4e5f.');
  return text.toLowerCase();
}

function parseList(text: string, values: readonly string[]): string {
  const unknown = valuesOf(text).find((value) => !values.includes(value));
  if (unknown !== undefined) throw new InvalidArgumentError(`"${unknown}" is none of ${values.join(', ')}.`);
  return text;
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= LIMIT_MAX))
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${LIMIT_MAX}.`);
  return limit;
}

function parseText(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') throw new InvalidArgumentError('It must not be empty.');
  if (trimmed.length > TEXT_MAX_LENGTH)
    throw new InvalidArgumentError(`It may have ${TEXT_MAX_LENGTH} characters at most.`);
  return trimmed;
}
