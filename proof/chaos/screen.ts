// The progress display: one changing line on a terminal, plain lines elsewhere.
import type { Counts } from '../stack/counts.ts';
import type { Options } from './options.ts';

const EVERY_MS = 1_000;

export type Screen = { say: (line: string) => void; phase: (name: string) => void; end: () => void };

export function openScreen(
  counts: Counts,
  options: Options,
  faults: () => Promise<Record<string, number>>,
): Screen {
  const begun = Date.now();
  const isTerminal = process.stdout.isTTY;
  let phase = 'starting';
  let injected = 0;

  const show = (text: string): void => {
    const seconds = ((Date.now() - begun) / 1_000).toFixed(0).padStart(4);
    const line = `${seconds} s  ${text}`;
    if (isTerminal) process.stdout.write(`\r\u001b[2K${line.slice(0, (process.stdout.columns ?? 120) - 1)}`);
    else console.log(line);
  };
  const count = async (): Promise<void> => {
    injected = Object.values(await faults()).reduce((sum, ofKind) => sum + ofKind, 0);
  };
  const timer = setInterval(() => {
    void count();
    const { accepted, repeats, kills, restarts } = counts;
    show(
      `${phase}: payments ${accepted.payments}/${options.payments}, withdraws ${accepted.withdraws}, ` +
        `kills ${kills}/${options.kills}, restarts ${restarts}/${options.restarts}, faults ${injected}, repeats ${repeats}`,
    );
  }, EVERY_MS);

  return {
    say: (line) => {
      if (isTerminal) process.stdout.write('\r\u001b[2K');
      console.log(line);
    },
    phase: (name) => {
      phase = name;
    },
    end: () => {
      clearInterval(timer);
      if (isTerminal) process.stdout.write('\r\u001b[2K');
    },
  };
}
