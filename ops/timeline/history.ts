// Collects the history of one payment or withdrawal in chronological order, from every table that refers to it.

import { validate as isUuid } from 'uuid';
import type { OperatorsRecord } from '../../src/audit/operator.ts';
import type { Currency } from '../../src/domain/currency.ts';
import {
  listCallbacksOf,
  listDiscrepanciesOf,
  listEffects,
  listOperatorsChanges,
  listTransitions,
} from '../../src/tables/ops/timeline.ts';
import type { Db } from '../../src/tables/orm.ts';
import { age, count, oneLine } from '../format.ts';
import { amountsText } from './amounts.ts';

export type HistoryEntry = {
  at: Date;
  kind: 'state' | 'effect' | 'callback' | 'discrepancy' | 'operator';
  text: string;
  details: string;
  /** The cause of the entry, or its id, which other commands accept as an argument. */
  by: string;
  isBad: boolean;
};

export type Subject = { id: string; userId: string; transactionId: string; home: Currency; paysIn: Currency };

export async function historyOf(db: Db, subject: Subject, now: Date): Promise<HistoryEntry[]> {
  const states = await statesOf(db, subject);
  const others = await Promise.all([
    effectsOf(db, subject, states.times, now),
    callbacksOf(db, subject, states.callbacks),
    discrepanciesOf(db, subject),
    operatorsOf(db, subject),
  ]);
  // The sort is stable: the effects of a transition have the same time and stay behind it.
  return [states.entries, ...others].flat().toSorted((a, b) => a.at.getTime() - b.at.getTime());
}

async function statesOf(db: Db, subject: Subject) {
  const transitions = await listTransitions(db, { subjectId: subject.id, userId: subject.userId });
  const entries = transitions.map(
    (row): HistoryEntry => ({
      at: row.occurredAt,
      kind: 'state',
      text: row.fromState === null ? row.toState : `${row.fromState} -> ${row.toState}`,
      details: `${row.event}${amountsText(row.event, row.eventData, subject)}`,
      by: oneLine(`${row.causeKind} ${row.causeId}`),
      isBad: false,
    }),
  );
  const callbacks = transitions
    .filter((row) => row.causeKind === 'webhook' && isUuid(row.causeId))
    .map((row) => row.causeId);
  const times = new Map(transitions.map((row) => [row.seq, row.occurredAt]));
  return { entries, callbacks, times };
}

/**
 * Lists the effects. Each is shown at the time of its transition, because an effect's own time is by the database's clock.
 * @param times the time of each transition, by its `seq`.
 */
async function effectsOf(
  db: Db,
  { id, userId }: Subject,
  times: Map<number, Date>,
  now: Date,
): Promise<HistoryEntry[]> {
  const effects = await listEffects(db, { subjectId: id, userId });
  return effects.map((row) => {
    const leg = typeof row.params['leg'] === 'string' ? ` ${row.params['leg']}` : '';
    const next = row.dueAt === null ? '' : `, due ${age(row.dueAt, now)}`;
    const error = row.lastError === null ? '' : `, last error: ${oneLine(row.lastError)}`;
    return {
      at: times.get(row.seq) ?? row.createdAt,
      kind: 'effect',
      text: `${row.type}${leg}`,
      details: `${row.status}, ${count(row.attempts, 'attempt')}${next}${error}`,
      by: row.id,
      isBad: row.status === 'exhausted',
    };
  });
}

async function callbacksOf(db: Db, { transactionId }: Subject, causes: string[]): Promise<HistoryEntry[]> {
  const events = await listCallbacksOf(db, { transactionId, ids: causes });
  return events.map((row) => ({
    at: row.receivedAt,
    kind: 'callback',
    text: oneLine(row.eventType),
    details: row.outcome === null ? row.status : `${row.status}: ${row.outcome}`,
    by: row.id,
    isBad: row.status === 'unmatched',
  }));
}

async function discrepanciesOf(db: Db, subject: Subject): Promise<HistoryEntry[]> {
  const rows = await listDiscrepanciesOf(db, { subjectId: subject.id, userId: subject.userId });
  return rows.map((row) => ({
    at: row.occurredAt,
    kind: 'discrepancy',
    text: `${row.kind}: ${row.event} while ${row.state}`,
    // The words stand next to what the provider shows now.
    details: row.resolution === null ? 'open' : `resolved: ${oneLine(row.resolution)}`,
    by: row.id,
    isBad: row.resolvedAt === null,
  }));
}

async function operatorsOf(db: Db, { userId, id }: Subject): Promise<HistoryEntry[]> {
  const rows = await listOperatorsChanges(db, { userId, subjectId: id });
  return rows.map(({ at, action, details }) => {
    const { operator, reason } = details as OperatorsRecord;
    return {
      at,
      kind: 'operator',
      text: action.replace(/^operator\./, ''),
      details: oneLine(reason),
      by: oneLine(operator),
      isBad: false,
    };
  });
}
