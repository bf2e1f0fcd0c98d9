// Where log lines go: a standard stream, which is watched. A slow reader blocks nothing; without a reader the process
// ends. Pino's own destination will not do: once the reader is gone, it loops without end at exit and blocks the
// process.
import type { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';

/** Bytes that a slow reader has not read yet; lines beyond are dropped rather than kept in memory. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024;
const LOOK_EVERY_MS = 20;

export type LogOutput = {
  write: (line: string) => void;
  /** Resolves when every line was written, or cannot be any more, or after so long. */
  drained: (withinMs: number) => Promise<void>;
  /** Resolves with the error once nothing can be written any more. */
  lost: Promise<Error>;
};

export function openLogOutput(stream: Writable): LogOutput {
  const { promise: lost, resolve: lose } = Promise.withResolvers<Error>();
  // Every pending line fails by itself, and none of these errors may end the process on its own.
  stream.on('error', lose);
  return {
    write: (line) => {
      if (stream.writable && stream.writableLength < MOST_WAITING_BYTES) stream.write(line);
    },
    drained: async (withinMs) => {
      const giveUpAt = performance.now() + withinMs;
      while (stream.writable && stream.writableLength > 0 && performance.now() < giveUpAt)
        await pause(LOOK_EVERY_MS);
    },
    lost,
  };
}
