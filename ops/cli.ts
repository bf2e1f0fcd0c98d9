// Runs one call of the command line: parses it, starts the app, runs the command, closes the app and returns the exit code.
import { CommanderError } from 'commander';
import type { App } from '../src/start/app.ts';
import {
  type ActionResult,
  type CommandCall,
  type CommandSpec,
  OpsFailure,
  type ParsedCall,
  type SupportApp,
  UsageError,
} from './command.ts';
import { commands } from './commands.ts';
import { environmentFrom, isOfSupport } from './environment.ts';
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
  context: CliContext,
): Promise<number> {
  const { env: processEnv } = context;
  const { env, isLocalStack } = environmentFrom(processEnv);
  try {
    const printed = { ...call, name: command.name, out };
    if (isOfSupport(env)) await executeForSupport(command, printed, env, context);
    else await executeWith(await context.start(env), command.run, { ...printed, isLocalStack }, context);
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

type Printed = ParsedCall & { name: string; out: Output };

/** @throws OpsFailure before anything happens, if the command needs what support lacks. */
async function executeForSupport(
  command: CommandSpec,
  call: Printed,
  env: NodeJS.ProcessEnv,
  context: CliContext,
): Promise<void> {
  if (!command.isForSupport) {
    const others = commands.flatMap(({ name, isForSupport }) => (isForSupport ? [name] : []));
    throw new OpsFailure(
      `${command.name} needs PII_ENCRYPTION_KEY and PROVIDER_PASSWORD, which are not set. These commands do not: ${others.join(', ')}.`,
    );
  }
  const { startSupport } = await import('./start.ts');
  await executeWith(await startSupport(env), command.run, call, context);
}

async function executeWith<Of extends SupportApp>(
  { app, close }: { app: Of; close: () => Promise<void> },
  run: (call: CommandCall<Of>) => Promise<ActionResult | void>,
  { isLocalStack, ...call }: Printed & { isLocalStack?: boolean },
  { readLine, signal }: CliContext,
): Promise<void> {
  const { out } = call;
  try {
    if (isLocalStack) out.note(out.style.dim('On the local stack of npm start.'));
    // A view has no operator.
    const operator = call.operator === '' ? '' : await operatorIn(app.db, call.operator);
    const result = await run({ ...call, operator, app, readLine, signal });
    if (result) printResult(out, result);
  } finally {
    await close();
  }
}

/** Without a configuration that can be used, nothing is known. */
async function printWithoutDatabase(
  { withoutDatabase }: CommandSpec,
  { env, fault, out }: { env: NodeJS.ProcessEnv; fault: string; out: Output },
): Promise<void> {
  if (!withoutDatabase) return;
  const { ConfigurationError, readConfig, readSupportConfig } = await import('../src/start/config.ts');
  try {
    const config = isOfSupport(env) ? readSupportConfig(env) : readConfig(env);
    await withoutDatabase({ config, fault, out });
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
