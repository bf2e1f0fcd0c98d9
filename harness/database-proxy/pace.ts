// Passes a client's statements to the database one by one. Each may be held back, as by a slow server.
import { setTimeout as pause } from 'node:timers/promises';
import { messagesOf } from './wire.ts';

/** Messages that begin a statement. The server answers when the statement's sync arrives. */
const OPENING = 'PBDEC';
/** A simple query, and the sync that ends a statement with values. */
const ENDING = 'QS';

/**
 * @param delayMs returns the delay before the current statement.
 * @returns a function that takes what the client sends. Its first chunk is the start-up message, which has no type.
 */
export function createPace(write: (bytes: Buffer) => void, delayMs: () => number): (chunk: Buffer) => void {
  let isStarted = false;
  let opened: Buffer[] = [];
  let waiting = 0;
  let last = Promise.resolve();

  const pass = (bytes: Buffer, afterMs: number): void => {
    if (afterMs === 0 && waiting === 0) return write(bytes);
    waiting += 1;
    last = passBehind(last, bytes, afterMs);
  };
  const passBehind = async (before: Promise<void>, bytes: Buffer, afterMs: number): Promise<void> => {
    await before;
    if (afterMs > 0) await pause(afterMs);
    write(bytes);
    waiting -= 1;
  };
  const read = messagesOf((type, message) => {
    if (OPENING.includes(type)) return void opened.push(message);
    pass(Buffer.concat([...opened, message]), ENDING.includes(type) ? delayMs() : 0);
    opened = [];
  });

  return (chunk) => {
    if (isStarted) return read(chunk);
    isStarted = true;
    pass(chunk, 0);
  };
}
