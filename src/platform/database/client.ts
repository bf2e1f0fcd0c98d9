// One connection: pg's client with three patches, each in its own file (patches/), and a name for each statement.
import { Client, type ClientConfig } from 'pg';
import { type AnswerDeadline, setAnswerDeadline } from './patches/answer-deadline.ts';
import type { Query } from './patches/connection.ts';
import { corkQueries } from './patches/corked-queries.ts';
import { leaveReadOnlyServer } from './patches/read-only-server.ts';
import { createStatementNames, nameStatements, type StatementNames } from './statement-names.ts';

export type ConnectionSettings = {
  /** How long an answer may take, in milliseconds; 0 for no limit. */
  answerMs: number;
  /** Called after the connection was destroyed because it was silent. */
  onSilence: () => void;
  /** The pool's statement names, so that a statement has the same name on all its connections. */
  statementNames: StatementNames;
};

export class PreparingClient extends Client {
  readonly deadline: AnswerDeadline;
  readonly isInRecovery: () => boolean;

  constructor(config: ClientConfig & Partial<ConnectionSettings> = {}) {
    super(config);
    const { answerMs = 0, onSilence = () => undefined, statementNames = createStatementNames() } = config;
    const deadline = setAnswerDeadline(this, { afterMs: answerMs, onSilence });
    this.deadline = deadline;
    this.isInRecovery = leaveReadOnlyServer(this);
    const corked = corkQueries(this, super.query.bind(this) as Query);
    const timed: Query = (...asked) => {
      deadline.asked();
      return corked(...asked);
    };
    const end = super.end.bind(this) as Query;
    Object.assign(this, {
      query: nameStatements(this, timed, statementNames),
      end: (...asked: unknown[]) => {
        deadline.ending();
        return end(...asked);
      },
    });
  }
}
