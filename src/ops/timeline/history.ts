// The history of one payment or withdrawal, from every table that refers to it, in the order of time.
import { sql } from 'kysely';
import { validate as isUuid } from 'uuid';
import type { App } from '../../app.ts';
import type { OperatorsRecord } from '../../audit/operator.ts';
import type { Currency } from '../../domain/currency.ts';
import { age, count, oneLine } from '../format.ts';
import { amountsText } from './amounts.ts';

export type HistoryEntry = {
  at: Date;
  kind: 'state' | 'effect' | 'callback' | 'discrepancy' | 'operator';
  text: string;
  details: string;
  /** Its cause, or its own id, which other commands take. */
  by: string;
  isBad: boolean;
};

export type Subject = { id: string; userId: string; transactionId: string; home: Currency; paysIn: Currency };

export async function historyOf(app: App, subject: Subject, now: Date): Promise<HistoryEntry[]> {
  const states = await statesOf(app, subject);
  const others = await Promise.all([
    effectsOf(app, subject, states.times, now),
    callbacksOf(app, subject, states.callbacks),
    discrepanciesOf(app, subject),
    operatorsOf(app, subject),
  ]);
  // A stable sort: the effects of a transition have its time and stay behind it.
  return [states.entries, ...others].flat().toSorted((a, b) => a.at.getTime() - b.at.getTime());
}

async function statesOf(app: App, subject: Subject) {
  const transitions = await app.db
    .selectFrom('transitions')
    .selectAll()
    .where('subject_id', '=', subject.id)
    .where('subject_kind', 'in', ['pix_payment', 'withdraw'])
    .orderBy('seq')
    .execute();
  const entries = transitions.map(
    (row): HistoryEntry => ({
      at: row.occurred_at,
      kind: 'state',
      text: row.from_state === null ? row.to_state : `${row.from_state} -> ${row.to_state}`,
      details: `${row.event}${amountsText(row.event, row.event_data, subject)}`,
      by: oneLine(`${row.cause_kind} ${row.cause_id}`),
      isBad: false,
    }),
  );
  const callbacks = transitions
    .filter((row) => row.cause_kind === 'webhook' && isUuid(row.cause_id))
    .map((row) => row.cause_id);
  const times = new Map(transitions.map((row) => [row.seq, row.occurred_at]));
  return { entries, callbacks, times };
}

/** @param times the time of each transition, by its number. The effects' own times are by the clock of the database. */
async function effectsOf(
  app: App,
  { id }: Subject,
  times: Map<number, Date>,
  now: Date,
): Promise<HistoryEntry[]> {
  const effects = await app.db
    .selectFrom('effects')
    .selectAll()
    .where('subject_id', '=', id)
    .orderBy('seq')
    .execute();
  return effects.map((row) => {
    const leg = typeof row.params['leg'] === 'string' ? ` ${row.params['leg']}` : '';
    const next = row.due_at === null ? '' : `, due ${age(row.due_at, now)}`;
    const error = row.last_error === null ? '' : `, last error: ${oneLine(row.last_error)}`;
    return {
      at: times.get(row.seq) ?? row.created_at,
      kind: 'effect',
      text: `${row.type}${leg}`,
      details: `${row.status}, ${count(row.attempts, 'attempt')}${next}${error}`,
      by: row.id,
      isBad: row.status === 'exhausted',
    };
  });
}

async function callbacksOf(
  { db }: App,
  { transactionId }: Subject,
  causes: string[],
): Promise<HistoryEntry[]> {
  const events = await db
    .selectFrom('webhook_events')
    .select(['id', 'event_type', 'status', 'outcome', 'received_at'])
    .where((is) =>
      is.or([
        is('transaction_id', '=', transactionId),
        ...(causes.length > 0 ? [is('id', 'in', causes)] : []),
      ]),
    )
    .execute();
  return events.map((row) => ({
    at: row.received_at,
    kind: 'callback',
    text: oneLine(row.event_type),
    details: row.outcome === null ? row.status : `${row.status}: ${row.outcome}`,
    by: row.id,
    isBad: row.status === 'unmatched',
  }));
}

async function discrepanciesOf({ db }: App, subject: Subject): Promise<HistoryEntry[]> {
  const rows = await db
    .selectFrom('discrepancies')
    .selectAll()
    .where('subject_id', '=', subject.id)
    .execute();
  return rows.map((row) => ({
    at: row.occurred_at,
    kind: 'discrepancy',
    text: `${row.kind}: ${row.event} while ${row.state}`,
    details: `${row.resolution === null ? 'open' : `resolved: ${oneLine(row.resolution)}`}${amountsText(row.event, row.event_data, subject)}`,
    by: row.id,
    isBad: row.resolved_at === null,
  }));
}

async function operatorsOf({ db }: App, { userId, id }: Subject): Promise<HistoryEntry[]> {
  const rows = await db
    .selectFrom('audit_events')
    .select(['occurred_at as at', 'action', 'details'])
    .where('action', 'like', 'operator.%')
    .where('user_id', '=', userId)
    .where((is) =>
      is.or([
        is(sql`details ->> 'target'`, '=', id),
        is(
          sql`details ->> 'target'`,
          'in',
          sql`(select id::text from effects where subject_id = ${id}
          union all select id::text from discrepancies where subject_id = ${id})`,
        ),
      ]),
    )
    .execute();
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
