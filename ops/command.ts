// The types of the operators' commands: how a command is called, and the call that is passed to its code.
import type { Clock } from '../src/domain/clock.ts';
import type { ProviderConnection } from '../src/provider/port.ts';
import type { Sealer } from '../src/security/sealer.ts';
import type { App } from '../src/start/app.ts';
import type { Config } from '../src/start/config.ts';
import type { Db } from '../src/tables/orm.ts';
import type { Output } from './output.ts';

export type OptionSpec = {
  summary: string;
  /** The placeholder of the value in the help: `<state,...>`. An option without a placeholder is a flag. */
  placeholder?: string;
  default?: string;
  isRequired?: true;
  /** The allowed values of an option that takes a comma-separated list. */
  values?: readonly string[];
};

/** A flag is `true` or undefined. */
export type OptionValue = string | boolean | undefined;

/**
 * The part of an app that commands of support use. It needs no keys of sealed values and no password of the provider: without them, `open`
 * and `providerConnection` are null.
 */
export type SupportApp = {
  db: Db;
  clock: Clock;
  config: Pick<Config, 'commit' | 'databaseUrl' | 'prometheusUrl'> & {
    provider: Pick<Config['provider'], 'name' | 'baseUrl'> | null;
  };
  sealer: Pick<Sealer, 'search'> & { open: Sealer['open'] | null };
  providerConnection: ProviderConnection | null;
};

export type CommandSpec =
  | (Spec<App> & { isForSupport?: never })
  /** A command that support may call as well. */
  | (Spec<SupportApp> & { isForSupport: true });

type Spec<Of extends SupportApp> = {
  /** A noun, or a noun and a verb: `payments`, `payments acknowledge`. A plural noun alone is a list. */
  name: string;
  summary: string;
  /** The command's only argument, if it has one. A `uuid` is validated before the app is started. */
  argument?: { name: string; form: 'uuid' | 'text' };
  options?: Record<string, OptionSpec>;
  /** Whether the command is a list, which has the option --limit. */
  isList?: boolean;
  /** Runs the command. The result of an action is printed for it. */
  run: (call: CommandCall<Of>) => Promise<ActionResult | void>;
  /** Prints what is known without the database, if the command could not be run. `fault` is the sentence that says why. */
  withoutDatabase?: (call: { config: SupportApp['config']; fault: string; out: Output }) => Promise<void>;
};

/** The result of an action. `changed` is false if there was nothing to change: that is not a failure and is not audited. */
export type ActionResult = { changed: boolean; sentence: string };

export type ParsedCall = {
  /** The argument, or the empty string for a command without one. */
  argument: string;
  /** The options by their names in camel case: `perSecond` for `--per-second`. */
  options: Record<string, OptionValue>;
  isJson: boolean;
  limit: number;
  /** The operator's name; empty for a view. */
  operator: string;
  /** The operator's reason; empty for a view. */
  reason: string;
};

export type CommandCall<Of extends SupportApp = App> = ParsedCall & {
  name: string;
  app: Of;
  out: Output;
  /** Reads a line from standard input. A terminal shows what is asked for. */
  readLine: (asks: string) => Promise<string>;
  /** Aborted by Ctrl-C. Long work then ends after its current page and can be resumed. */
  signal: AbortSignal;
};

/** Thrown if the command line is not understood: exit code 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Thrown if the command cannot be run: exit code 1, and a sentence that says why. */
export class OpsFailure extends Error {
  override name = 'OpsFailure';
}

/** Returns the values of an option that takes a comma-separated list. */
export const valuesOf = (option: OptionValue): string[] =>
  typeof option === 'string' ? option.split(',').map((value) => value.trim()) : [];
