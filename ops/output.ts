// The output of commands: text for people or JSON for machines on standard output, notes and progress on standard error.
import { styleText } from 'node:util';

export type Stream = { write: (text: string) => unknown; isTTY?: boolean; columns?: number };

type Colour = 'red' | 'green' | 'yellow' | 'dim' | 'bold';
export type Style = Record<Colour, (text: string) => string>;

export type Output = {
  isJson: boolean;
  /** Whether standard output is a terminal. */
  isTerminal: boolean;
  style: Style;
  now: Date;
  print: (text: string) => void;
  /** Prints one JSON value. Times are ISO 8601, amounts are in minor units. */
  json: (value: unknown) => void;
  /** Prints a note for people on standard error, in addition to the result. */
  note: (text: string) => void;
  /** Prints progress on standard error: one line that is rewritten on a terminal, otherwise at most one line per second. */
  progress: (text: string) => void;
};

const PROGRESS_EVERY_MS = 1_000;

export function createOutput(
  streams: { out: Stream; err: Stream },
  { isJson, now, style }: Pick<Output, 'isJson' | 'now' | 'style'>,
): Output {
  const rewrites = streams.err.isTTY === true;
  let rewritten = '';
  let progressAt = 0;
  const clear = (): void => {
    if (rewritten !== '') streams.err.write(`\r${' '.repeat(rewritten.length)}\r`);
    rewritten = '';
  };
  return {
    isJson,
    isTerminal: streams.out.isTTY === true,
    style,
    now,
    print: (text) => {
      clear();
      streams.out.write(`${text}\n`);
    },
    json: (value) => {
      clear();
      streams.out.write(`${escaped(JSON.stringify(value, null, 2))}\n`);
    },
    note: (text) => {
      clear();
      streams.err.write(`${text}\n`);
    },
    progress: (text) => {
      if (rewrites) {
        clear();
        rewritten = text.slice(0, (streams.err.columns ?? 80) - 1);
        streams.err.write(rewritten);
      } else if (Date.now() - progressAt >= PROGRESS_EVERY_MS) {
        progressAt = Date.now();
        streams.err.write(`${text}\n`);
      }
    },
  };
}

/** Escapes the characters that JSON allows but that a terminal would interpret, or that change the direction of the text. */
const escaped = (json: string): string =>
  json.replaceAll(
    /[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Returns the style of a stream. A terminal has colours unless NO_COLOR is set. FORCE_COLOR overrides both. */
export function styleFor(stream: Stream, env: NodeJS.ProcessEnv): Style {
  const { FORCE_COLOR: forced, NO_COLOR: refused } = env;
  const hasColours = forced === undefined ? stream.isTTY === true && !refused : forced !== '0';
  const paint =
    (colour: Colour) =>
    (text: string): string =>
      // Skip the validation, which would check the streams of this process instead of `stream`.
      hasColours && text !== '' ? styleText(colour, text, { validateStream: false }) : text;
  return {
    red: paint('red'),
    green: paint('green'),
    yellow: paint('yellow'),
    dim: paint('dim'),
    bold: paint('bold'),
  };
}
