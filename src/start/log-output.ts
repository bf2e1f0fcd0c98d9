// Writes log lines to a standard stream and watches it. A slow reader does not block the process; if the reader is gone, the
// process ends. Pino's own destination is not used: once the reader is gone, it loops indefinitely at exit and blocks the process.
import type { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';

/** The maximum number of bytes that wait for a slow reader. Further lines are dropped instead of kept in memory. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
const LOOK_EVERY_MS = 20;

export type LogOutput = {
  write: (line: string) => void;
  /** Resolves when every line is written, when the stream can no longer be written to, or after this time. */
  drained: (withinMs: number) => Promise<void>;
  /** Resolves with the error when the stream can no longer be written to. */
  lost: Promise<Error>;
};

export function openLogOutput(stream: Writable): LogOutput {
  const { promise: lost, resolve: lose } = Promise.withResolvers<Error>();
  // Every pending line emits its own error, and none of them may end the process by itself.
  stream.on('error', lose);
  return {
    write: (line) => {
      if (stream.writable && stream.writableLength < MAX_WAITING_BYTES) stream.write(line);
    },
    drained: async (withinMs) => {
      const giveUpAt = performance.now() + withinMs;
      while (stream.writable && stream.writableLength > 0 && performance.now() < giveUpAt)
        await pause(LOOK_EVERY_MS);
    },
    lost,
  };
}
