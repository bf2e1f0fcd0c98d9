// Builds the commander program from the list of commands, for each call.
import { Command, Option } from 'commander';
import { type CommandSpec, type OptionValue, type ParsedCall, UsageError } from './command.ts';
import { commands, groups } from './commands.ts';
import {
  actionOptions,
  argumentOf,
  assertOperatorName,
  jsonOption,
  limitOption,
  optionOf,
} from './options.ts';
import type { Stream, Style } from './output.ts';

const PROGRAM = 'npm run ops --';
/** The width of help that is not written to a terminal. */
const HELP_WIDTH = 119;

export type ProgramContext = {
  out: Stream;
  err: Stream;
  style: Style;
  /** The operator's name if `--operator` is not given. */
  user: string | undefined;
  execute: (command: CommandSpec, call: ParsedCall) => Promise<void>;
};

/**
 * Parses a call and runs its command.
 * @throws CommanderError after its text was written. Its exit code is 0 for help; any other means that the call was not understood.
 */
export async function parseAndExecute(argv: string[], context: ProgramContext): Promise<void> {
  const args = argv.length === 0 ? ['--help'] : joinNameOf(argv);
  const program = createProgram(context).showHelpAfterError(hintFor(argv[0] ?? ''));
  await program.parseAsync(args, { from: 'user' });
}

/** Joins a noun and its verb to one word, because commander finds a command by one word. */
function joinNameOf([noun = '', ...rest]: string[]): string[] {
  if (noun === 'help') return [noun, ...joinNameOf(rest)];
  const [verb = '', ...others] = rest;
  const hasVerbs = commands.some(({ name }) => name.startsWith(`${noun} `));
  return hasVerbs && /^\w/.test(verb) ? [`${noun} ${verb}`, ...others] : [noun, ...rest];
}

/** Suggests commands for a noun without its verb, or a verb alone. Commander itself suggests names for misspelt ones. */
function hintFor(word: string): string {
  const isLike = (part: string): boolean => part.startsWith(word) || word.startsWith(part);
  const names = commands.flatMap(({ name }) => (name.split(' ').some(isLike) ? [name] : []));
  const hint = names.length > 0 ? `Commands with that word: ${names.join(', ')}\n` : '';
  return `${hint}See: ${PROGRAM} --help`;
}

function createProgram(context: ProgramContext): Command {
  const { out, err, style } = context;
  const program = new Command(PROGRAM)
    .usage('<command> [options]')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => out.write(text),
      writeErr: (text) => err.write(text),
      getOutHelpWidth: () => out.columns ?? HELP_WIDTH,
      getErrHelpWidth: () => err.columns ?? HELP_WIDTH,
      // `style` already decides about colours.
      getOutHasColors: () => true,
      getErrHasColors: () => true,
    })
    .configureHelp({ styleTitle: style.bold, subcommandTerm: termOf })
    .addHelpOption(new Option('-h, --help').hideHelp())
    .commandsGroup('Views:')
    .helpCommand('help [command]', 'the arguments and options of a command')
    .addHelpText('after', GENERAL);
  for (const { title, commands: specs, areActions } of groups)
    for (const spec of specs)
      program.addCommand(createCommand(program, spec, areActions, context).helpGroup(title));
  return program;
}

const GENERAL = `
Lists take --limit <1-1000>, all take --json (npm run -s ops -- ...), actions take --reason <why> --operator <name>.
Exit codes: 0 done, 1 could not be done, 2 not understood. What to do in an incident: docs/runbook.md.`;

function createCommand(
  program: Command,
  spec: CommandSpec,
  isAction: boolean,
  { user, execute }: ProgramContext,
): Command {
  const { name, summary, argument, options = {}, isList = false } = spec;
  const command = new Command(name)
    .copyInheritedSettings(program)
    .description(summary)
    .helpOption('-h, --help', 'print this')
    .showHelpAfterError(`See: ${PROGRAM} ${name} --help`);
  if (argument) command.addArgument(argumentOf(argument));
  for (const [option, optionSpec] of Object.entries(options)) command.addOption(optionOf(option, optionSpec));
  if (isList) command.addOption(limitOption());
  if (isAction) for (const option of actionOptions(user)) command.addOption(option);
  command.addOption(jsonOption());
  return command.action(async () => {
    try {
      const call = callOf(command);
      if (isAction) assertOperatorName(call.operator);
      await execute(spec, call);
    } catch (error) {
      if (error instanceof UsageError) command.error(`error: ${error.message}`);
      throw error;
    }
  });
}

function callOf(command: Command): ParsedCall {
  const { json, limit, reason, operator, ...options } = command.opts<
    Record<string, OptionValue> & { limit?: number }
  >();
  return {
    argument: String(command.processedArgs[0] ?? ''),
    options,
    isJson: json === true,
    limit: limit ?? 0,
    operator: String(operator ?? ''),
    reason: String(reason ?? ''),
  };
}

/** The command's name in the overview: with its arguments, without its options. The command's own help has the options. */
const termOf = (command: Command): string =>
  [command.name(), ...command.registeredArguments.map((argument) => `<${argument.name()}>`)].join(' ');
