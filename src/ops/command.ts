// A command of the operators' command line: how it is called, and the call that its code is given.
import type { App } from '../app.ts';
import type { Output } from './output.ts';

export type OptionSpec = {
  summary: string;
  /** Stands for the value in the help: `<state,...>`. An option without one is a flag. */
  placeholder?: string;
  default?: string;
  isRequired?: true;
  /** The values that a list, separated by commas, may have. */
  values?: readonly string[];
};

/** A flag is `true` or not there. */
export type OptionValue = string | boolean | undefined;

export type CommandSpec = {
  /** A noun, or a noun and a verb: `payments`, `payments acknowledge`. A plural noun by itself lists. */
  name: string;
  summary: string;
  /** The one argument that it takes, if any; a `uuid` is checked before anything is started. */
  argument?: { name: string; form: 'uuid' | 'text' };
  options?: Record<string, OptionSpec>;
  /** Lists take --limit. */
  isList?: boolean;
  /** Loaded when it is called, so that the other commands cost nothing. */
  load: () => Promise<{ run: (call: Call) => Promise<void> }>;
};

/** The arguments and options of a call. */
export type ParsedCall = {
  /** The empty string for a command without one. */
  argument: string;
  /** By their names in camel case: `--per-second` is `perSecond`. */
  options: Record<string, OptionValue>;
  isJson: boolean;
  /** How many rows a list may have. */
  limit: number;
  /** Both empty for a view. */
  operator: string;
  reason: string;
};

export type Call = ParsedCall & {
  app: App;
  out: Output;
  /** Aborted by Ctrl-C: long work ends at its next page and can be taken up again. */
  signal: AbortSignal;
};

/** The command line is not understood: exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** The command cannot be carried out: exit code 1, and a sentence that says why. */
export class OpsFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'OpsFailure';
  }
}

/** The values of an option that takes a list. */
export const valuesOf = (option: OptionValue): string[] =>
  typeof option === 'string' ? option.split(',').map((value) => value.trim()) : [];
