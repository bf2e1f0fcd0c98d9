// Shows what a script that starts a stack is doing: a line that moves on a terminal, a line for each step elsewhere.
import { clearLine, cursorTo } from 'node:readline';
import type { WriteStream } from 'node:tty';

const EVERY_MS = 120;
const FRAMES = ['|', '/', '-', '\\'];

export type Steps = { next: (step: string) => void; end: () => void };

export function showSteps(out: WriteStream): Steps {
  if (!out.isTTY) return { next: (step) => void out.write(`  ${step} ...\n`), end: () => undefined };
  const begunAt = performance.now();
  let [shown, ticks] = ['', 0];
  const clear = (): void => {
    cursorTo(out, 0);
    clearLine(out, 0);
  };
  const draw = (): void => {
    if (shown === '') return;
    const seconds = Math.round((performance.now() - begunAt) / 1_000);
    clear();
    out.write(`  ${FRAMES[((ticks += 1)) % FRAMES.length]} ${shown} (${seconds} s)`);
  };
  const timer = setInterval(draw, EVERY_MS).unref();
  return {
    next: (step) => {
      shown = step;
      draw();
    },
    end: () => {
      clearInterval(timer);
      if (shown !== '') clear();
      shown = '';
    },
  };
}
