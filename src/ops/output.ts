// What operators see: tables whose columns line up, JSON for machines, and progress that stays out of both.

type Colour = 'red' | 'green' | 'yellow' | 'dim' | 'bold';
export type Style = Record<Colour, (text: string) => string>;

export type Stream = { write: (text: string) => unknown; isTTY?: boolean; columns?: number };

export type Output = {
  isJson: boolean;
  style: Style;
  now: Date;
  print: (text: string) => void;
  /** One value for machines: a Date as ISO 8601, amounts in minor units. */
  json: (value: unknown) => void;
  /** Beside the result: for people, on the other stream. */
  note: (text: string) => void;
  /** A line that is rewritten on a terminal, and written anew elsewhere, now and then. */
  progress: (text: string) => void;
};

const PROGRESS_EVERY_MS = 1_000;
const codes: Record<Colour, [number, number]> = {
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  dim: [2, 22],
  bold: [1, 22],
};

export function createOutput(
  streams: { out: Stream; err: Stream },
  { isJson, now, colours }: { isJson: boolean; now: Date; colours: boolean },
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
    style: styleFor(colours),
    now,
    print: (text) => {
      clear();
      streams.out.write(`${text}\n`);
    },
    json: (value) => {
      clear();
      streams.out.write(`${JSON.stringify(value, null, 2)}\n`);
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

const styleFor = (colours: boolean): Style => {
  const paint =
    ([on, off]: [number, number]) =>
    (text: string): string =>
      colours && text !== '' ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return {
    red: paint(codes.red),
    green: paint(codes.green),
    yellow: paint(codes.yellow),
    dim: paint(codes.dim),
    bold: paint(codes.bold),
  };
};
