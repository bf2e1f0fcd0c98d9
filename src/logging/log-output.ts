// Where log lines go: a standard stream, which is watched. A slow reader holds up nothing; without any, the process is to end.
// Pino's own destination will not do: it goes on for ever at exit once nobody reads, and holds the process with it.
import type { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';

/** What a slow reader has not taken yet; lines beyond are dropped rather than kept in memory. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024;
const LOOK_EVERY_MS = 20;

export type LogOutput = {
  write: (line: string) => void;
  /** Resolves when every line was taken, or cannot be any more, or after so long. */
  drained: (withinMs: number) => Promise<void>;
  /** Resolves with what went wrong once nothing can be written any more. */
  lost: Promise<Error>;
};

export function openLogOutput(stream: Writable): LogOutput {
  const { promise: lost, resolve: lose } = Promise.withResolvers<Error>();
  // Every line under way fails by itself, and none of these failures may end the process in their own way.
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
