// One connection: statements are prepared once on it and pipelined, so that the statements of a transaction travel
// together; and it has a deadline for its answers.
import type { Socket } from 'node:net';
import { Client, type ClientConfig } from 'pg';
import { type AnswerDeadline, setAnswerDeadline } from './answer-deadline.ts';

/** Statements are few, being written in the code; should they ever be made at run time, the rest go unprepared. */
const MOST_PREPARED = 1_000;
/** A connection that is being closed may be one that no longer answers. */
const END_WITHIN_MS = 1_000;

export type ConnectionSettings = {
  /** How long an answer may take; 0 for no limit. */
  answerMs: number;
  /** Called when the connection has been given up. */
  onSilence: () => void;
};

// A migration beside a running service can change what a prepared `select *` returns. The server then refuses the
// statement under its old name, so all of them get new ones.
const CHANGED_UNDER_US = '0A000';
let generation = 1;
let names = new Map<string, string>();

function renameAll(): void {
  generation += 1;
  names = new Map();
}

/** The name a statement is prepared under, the same on every connection; null when there are too many. */
function nameOf(text: string): string | null {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size >= MOST_PREPARED) return null;
  const name = `s${generation}_${names.size + 1}`;
  names.set(text, name);
  return name;
}

export class PreparingClient extends Client {
  readonly deadline: AnswerDeadline | null;

  constructor(config: ClientConfig & Partial<ConnectionSettings> = {}) {
    super(config);
    const { answerMs = 0, onSilence = () => undefined } = config;
    const deadline = answerMs > 0 ? setAnswerDeadline(this, { afterMs: answerMs, onSilence }) : null;
    this.deadline = deadline;
    const send = super.query.bind(this) as (...asked: unknown[]) => Promise<unknown> | undefined;
    const { connection } = this as unknown as { connection: { stream: Socket } };
    let isGathering = false;
    const query = (...asked: unknown[]) => {
      // Queries sent in one tick leave in one packet, and cause one wake-up at the other end.
      if (!isGathering) {
        isGathering = true;
        // Read each time: with TLS, the first stream is replaced.
        const { stream } = connection;
        stream.cork();
        process.nextTick(() => {
          isGathering = false;
          stream.uncork();
        });
      }
      deadline?.asked();
      return send(...asked);
    };
    // Only statements with values: the others (begin, commit) gain nothing by it.
    const prepared = (text: unknown, values?: unknown, ...rest: unknown[]) => {
      const isPlain = typeof text === 'string' && Array.isArray(values) && values.length > 0;
      const name = isPlain ? nameOf(text) : null;
      if (name === null) return query(text, values, ...rest);
      return query({ name, text, values }, ...rest)?.catch((error: unknown) => {
        if ((error as { code?: unknown }).code === CHANGED_UNDER_US) renameAll();
        throw error;
      });
    };
    const goodbye = super.end.bind(this) as (...told: unknown[]) => Promise<void> | undefined;
    const end = (...told: unknown[]) => {
      const insist = setTimeout(() => connection.stream.destroy(), END_WITHIN_MS).unref();
      this.once('end', () => clearTimeout(insist));
      return goodbye(...told);
    };
    Object.assign(this, { query: prepared, end });
  }
}
