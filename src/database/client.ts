// One connection: pg's client with four patches, each in a file of its own (patches/). None of them touches pg's results.
import { Client, type ClientConfig } from 'pg';
import { type AnswerDeadline, setAnswerDeadline } from './patches/answer-deadline.ts';
import type { Query } from './patches/connection.ts';
import { corkQueries } from './patches/corked-queries.ts';
import {
  createStatementNames,
  prepareStatements,
  type StatementNames,
} from './patches/prepared-statements.ts';
import { endInTime } from './patches/timely-end.ts';

export type ConnectionSettings = {
  /** How long an answer may take; 0 for no limit. */
  answerMs: number;
  /** Called when the connection has been given up. */
  onSilence: () => void;
  /** The pool's, so that a statement has one name on all its connections. */
  statementNames: StatementNames;
};

export class PreparingClient extends Client {
  readonly deadline: AnswerDeadline | null;

  constructor(config: ClientConfig & Partial<ConnectionSettings> = {}) {
    super(config);
    const { answerMs = 0, onSilence = () => undefined, statementNames = createStatementNames() } = config;
    const deadline = answerMs > 0 ? setAnswerDeadline(this, { afterMs: answerMs, onSilence }) : null;
    this.deadline = deadline;
    const corked = corkQueries(this, super.query.bind(this) as Query);
    const timed: Query = (...asked) => {
      deadline?.asked();
      return corked(...asked);
    };
    Object.assign(this, {
      query: prepareStatements(this, timed, statementNames),
      end: endInTime(this, super.end.bind(this) as Query),
    });
  }
}
