// One call of the command line, from its words to an exit code: understood, started, run, let go of.
import type { App } from '../app.ts';
import { OpsFailure, UsageError } from './command.ts';
import { environmentFrom } from './environment.ts';
import { helpOf, overview } from './help.ts';
import { createOutput, type Output, type Stream } from './output.ts';
import { type Parsed, parse } from './parse.ts';

export type CliContext = {
  env: NodeJS.ProcessEnv;
  out: Stream;
  err: Stream;
  signal: AbortSignal;
  start: (env: NodeJS.ProcessEnv) => Promise<{ app: App; close: () => Promise<void> }>;
};

const CODES = { done: 0, failed: 1, notUnderstood: 2 };

/** @returns the exit code: 0 done, 1 could not be done, 2 not understood. */
export async function runOps(argv: string[], around: CliContext): Promise<number> {
  const colours = around.out.isTTY === true && !around.env['NO_COLOR'];
  const now = new Date();
  const plain = createOutput(around, { isJson: false, now, colours });
  try {
    const parsed = parse(argv, around.env['USER']);
    if (parsed.kind === 'help') {
      plain.print(parsed.command ? helpOf(parsed.command) : overview(plain.style));
      return CODES.done;
    }
    return await carryOut(parsed, around, createOutput(around, { isJson: parsed.isJson, now, colours }));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    plain.note(error.message);
    plain.note(`See: npm run ops -- ${error.command === null ? '' : `${error.command} `}--help`);
    return CODES.notUnderstood;
  }
}

async function carryOut(
  { command, ...call }: Parsed & { kind: 'run' },
  { env: given, signal, start }: CliContext,
  out: Output,
): Promise<number> {
  const { env, isLocalStack } = environmentFrom(given);
  try {
    const [{ run }, { app, close }] = await Promise.all([command.load(), start(env)]);
    try {
      if (isLocalStack) out.note(out.style.dim('On the local stack of npm start.'));
      await run({ ...call, app, out, signal });
    } finally {
      await close();
    }
    return CODES.done;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const sentence =
      error instanceof OpsFailure
        ? error.message
        : (await import('../start/startup-error.ts')).startupErrorMessage(error);
    if (sentence === null) throw error;
    out.note(sentence);
    if (!isLocalStack && given['DATABASE_URL'] === undefined)
      out.note('Is the local stack meant? It is not running: npm start.');
    return CODES.failed;
  }
}
