// The operators' list of discrepancies, and of items of the provider's lists that cannot be read.
import type { Db } from '../orm.ts';
import { prepared } from '../prepared.ts';

type Limit = { limit: number };

const discrepancies = (db: Db, { limit }: Limit) =>
  db
    .selectFrom('Discrepancy')
    .leftJoin('PixPayment', (join) =>
      join
        .onRef('PixPayment.id', '=', 'Discrepancy.subjectId')
        .onRef('PixPayment.userId', '=', 'Discrepancy.userId'),
    )
    .select([
      'Discrepancy.id',
      'subjectKind',
      'subjectId',
      'Discrepancy.userId',
      'handle',
      'kind',
      'providerRef',
      'event',
      'eventData',
    ])
    .select([
      'Discrepancy.state',
      'snapshotUpdatedAt as snapshotAt',
      'occurredAt as at',
      'resolvedAt',
      'resolution',
      // The currency of a payment's conversions; null for another subject.
      'PixPayment.sourceCurrency',
    ])
    .orderBy('occurredAt')
    .limit(limit);

export const listDiscrepancies = prepared.all(discrepancies);
export const listOpenDiscrepancies = prepared.all((db, params: Limit) =>
  discrepancies(db, params).where('resolvedAt', 'is', null),
);

const findings = (db: Db, { limit }: Limit) =>
  db.selectFrom('ListFinding').selectAll().orderBy('foundAt').limit(limit);

export const listFindings = prepared.all(findings);
export const listUnresolvedFindings = prepared.all((db, params: Limit) =>
  findings(db, params).where('resolvedAt', 'is', null),
);
