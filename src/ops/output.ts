// The output of commands: text for people, JSON for machines, notes and progress on standard error.
import { styleText } from 'node:util';

export type Stream = { write: (text: string) => unknown; isTTY?: boolean; columns?: number };

type Colour = 'red' | 'green' | 'yellow' | 'dim' | 'bold';
export type Style = Record<Colour, (text: string) => string>;

export type Output = {
  isJson: boolean;
  style: Style;
  now: Date;
  print: (text: string) => void;
  /** One value for machines: a Date as ISO 8601, amounts in minor units. */
  json: (value: unknown) => void;
  /** For people, beside the result: on standard error. */
  note: (text: string) => void;
  /** On standard error: one line, rewritten in place on a terminal, and at most once a second elsewhere. */
  progress: (text: string) => void;
};

const PROGRESS_EVERY_MS = 1_000;

export function createOutput(
  streams: { out: Stream; err: Stream },
  { isJson, now, style }: Pick<Output, 'isJson' | 'now' | 'style'>,
): Output {
  const isTerminal = streams.err.isTTY === true;
  let rewritten = '';
  let progressAt = 0;
  const clear = (): void => {
    if (rewritten !== '') streams.err.write(`\r${' '.repeat(rewritten.length)}\r`);
    rewritten = '';
  };
  return {
    isJson,
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
      if (isTerminal) {
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

/** JSON leaves characters as they are that a terminal would obey, or that would change the direction of the line. */
const escaped = (json: string): string =>
  json.replaceAll(
    /[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Colours on a terminal, unless NO_COLOR is set; FORCE_COLOR decides for every stream. */
export function styleFor(stream: Stream, env: NodeJS.ProcessEnv): Style {
  const { FORCE_COLOR: forced, NO_COLOR: refused } = env;
  const hasColours = forced === undefined ? stream.isTTY === true && !refused : forced !== '0';
  const paint =
    (colour: Colour) =>
    (text: string): string =>
      // Without validation, which would ask for the colours of this process.
      hasColours && text !== '' ? styleText(colour, text, { validateStream: false }) : text;
  return {
    red: paint('red'),
    green: paint('green'),
    yellow: paint('yellow'),
    dim: paint('dim'),
    bold: paint('bold'),
  };
}
