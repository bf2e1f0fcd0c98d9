// What a command of the operators' command line is: how it is called, and what it is given when it runs.
import type { App } from '../app.ts';
import type { Output } from './output.ts';

export type OptionSpec = {
  type: 'string' | 'boolean';
  /** What stands for the value in the help: `<state,...>`. */
  placeholder?: string;
  summary: string;
  default?: string;
  /** The values of which a list, separated by commas, may be given. */
  values?: readonly string[];
};

export type Command = {
  /** One word, or two: `data-requests close`. */
  name: string;
  summary: string;
  /** The one argument it takes, if any; a `uuid` is checked before anything is started. */
  argument?: { name: string; form: 'uuid' | 'text' };
  options?: Record<string, OptionSpec>;
  /** Lists take --limit. */
  isList?: boolean;
  /** Changes demand a reason and the operator's name; some only do under one of the options named. */
  changes?: true | { under: readonly string[] };
  /** Loaded when it is called, so that the others cost it nothing. */
  load: () => Promise<{ run: (call: Call) => Promise<void> }>;
};

export type Call = {
  app: App;
  out: Output;
  /** The empty string for a command without one. */
  argument: string;
  options: Record<string, string | boolean | undefined>;
  limit: number;
  /** Both empty unless the command changes something. */
  operator: string;
  reason: string;
  /** Aborted by Ctrl-C: long work ends at its next page and can be taken up again. */
  signal: AbortSignal;
};

/** The command line is not understood: exit code 2, and nothing was started. */
export class UsageError extends Error {
  /** The command it was about, whose help is worth a hint. */
  readonly command: string | null;

  constructor(message: string, command: string | null = null) {
    super(message);
    this.name = 'UsageError';
    this.command = command;
  }
}

/** What was asked for cannot be done: exit code 1, and a sentence that says why. */
export class OpsFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'OpsFailure';
  }
}

/** The values of an option that takes a list. */
export const listed = (value: string | boolean | undefined): string[] =>
  typeof value === 'string' ? value.split(',').map((one) => one.trim()) : [];
