// One connection: pg's client with two patches, each in its own file (patches/), and a name for each statement.
import { Client, type ClientConfig } from 'pg';
import { type AnswerDeadline, setAnswerDeadline } from './patches/answer-deadline.ts';
import type { Query } from './patches/connection.ts';
import { corkQueries } from './patches/corked-queries.ts';
import { isRefusedAsReadOnly } from './read-only-server.ts';
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

  constructor(config: ClientConfig & Partial<ConnectionSettings> = {}) {
    super(config);
    const { answerMs = 0, onSilence = () => undefined, statementNames = createStatementNames() } = config;
    const deadline = setAnswerDeadline(this, { afterMs: answerMs, onSilence });
    this.deadline = deadline;
    const corked = corkQueries(this, super.query.bind(this) as Query);
    const timed: Query = (...parameters) => {
      deadline.sending();
      return corked(...parameters);
    };
    const named = nameStatements(this, timed, statementNames);
    const end = super.end.bind(this) as Query;
    Object.assign(this, {
      query: (...parameters: unknown[]) => {
        const answer = named(...parameters);
        // The pool drops a client that ends, so the next statement connects again.
        answer?.catch((error: unknown) => {
          if (isRefusedAsReadOnly(error)) void this.end();
        });
        return answer;
      },
      end: (...parameters: unknown[]) => {
        deadline.ending();
        return end(...parameters);
      },
    });
  }
}
