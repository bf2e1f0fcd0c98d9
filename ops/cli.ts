// Runs one call of the command line: parses it, starts the app, runs the command, closes the app and returns the exit code.
import { CommanderError } from 'commander';
import type { App } from '../src/start/app.ts';
import { type ActionResult, type CommandSpec, OpsFailure, type ParsedCall, UsageError } from './command.ts';
import { environmentFrom } from './environment.ts';
import { operatorIn } from './login.ts';
import { createOutput, type Output, type Stream, styleFor } from './output.ts';
import { parseAndExecute } from './program.ts';

export type CliContext = {
  env: NodeJS.ProcessEnv;
  out: Stream;
  err: Stream;
  readLine: (asks: string) => Promise<string>;
  signal: AbortSignal;
  start: (env: NodeJS.ProcessEnv) => Promise<{ app: App; close: () => Promise<void> }>;
};

const exitCodes = { done: 0, failed: 1, notUnderstood: 2 };

/** Runs one call. Returns the exit code: 0 if it succeeded, 1 if it failed, 2 if the call was not understood. */
export async function runOps(argv: string[], context: CliContext): Promise<number> {
  const style = styleFor(context.out, context.env);
  let code = exitCodes.done;
  try {
    await parseAndExecute(argv, {
      out: context.out,
      err: context.err,
      style,
      user: context.env['USER'],
      execute: async (command, call) => {
        const out = createOutput(context, { isJson: call.isJson, now: new Date(), style });
        code = await execute(command, call, out, context);
      },
    });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? exitCodes.done : exitCodes.notUnderstood;
  }
}

async function execute(
  command: CommandSpec,
  call: ParsedCall,
  out: Output,
  { env: processEnv, readLine, signal, start }: CliContext,
): Promise<number> {
  const { env, isLocalStack } = environmentFrom(processEnv);
  try {
    const { app, close } = await start(env);
    try {
      if (isLocalStack) out.note(out.style.dim('On the local stack of npm start.'));
      // A view has no operator.
      const operator = call.operator === '' ? '' : await operatorIn(app.db, call.operator);
      const result = await command.run({ ...call, operator, name: command.name, app, out, readLine, signal });
      if (result) printResult(out, result);
    } finally {
      await close();
    }
    return exitCodes.done;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const sentence =
      error instanceof OpsFailure
        ? error.message
        : (await import('../src/start/startup-error.ts')).startupErrorMessage(error);
    if (sentence === null) throw error;
    out.note(sentence);
    if (!isLocalStack && processEnv['DATABASE_URL'] === undefined)
      out.note('DATABASE_URL is not set, and the local stack is not running. Start that with: npm start');
    else if (!(error instanceof OpsFailure))
      await printWithoutDatabase(command, { env, fault: sentence, out });
    return exitCodes.failed;
  }
}

/** Without a configuration that can be used, nothing is known. */
async function printWithoutDatabase(
  { withoutDatabase }: CommandSpec,
  { env, fault, out }: { env: NodeJS.ProcessEnv; fault: string; out: Output },
): Promise<void> {
  if (!withoutDatabase) return;
  const { ConfigurationError, readConfig } = await import('../src/start/config.ts');
  try {
    await withoutDatabase({ config: readConfig(env), fault, out });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
  }
}

function printResult(out: Output, result: ActionResult): void {
  if (out.isJson) return out.json(result);
  out.print(
    result.changed ? `${out.style.green('Done.')} ${result.sentence}` : `Nothing changed. ${result.sentence}`,
  );
}
