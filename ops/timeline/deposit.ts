// The timeline of a deposit: one movement at the provider, and the transaction that it became.

import { encryptionContexts } from '../../src/security/encryption-contexts.ts';
import { findTransactionInFull, type TimelineSubject } from '../../src/tables/ops/timeline.ts';
import { amount, moment } from '../format.ts';
import { openedLine } from '../open-sealed.ts';
import type { TimelineServices } from './provider-resources.ts';
import type { Timeline } from './timeline.ts';

export async function depositTimeline(
  { db, sealer }: Omit<TimelineServices, 'provider'>,
  { id, userId }: TimelineSubject,
): Promise<Timeline> {
  const row = await findTransactionInFull(db, { id, userId });
  if (!row) throw new Error(`the transaction ${id} is missing`);
  const sealed = row.sourceReferenceSealed;
  const reference =
    sealed && (await openedLine(sealer, encryptionContexts.sourceReference(userId, id), sealed));
  const facts = [
    { label: 'user', text: userId },
    { label: 'received', text: amount(row.sourceAmountMinor, row.sourceCurrency) },
    { label: 'the payer wrote', text: reference ?? '' },
    { label: 'movement', text: row.providerRef ?? '' },
    { label: 'recorded', text: moment(row.createdAt) },
  ];
  return {
    what: 'Deposit',
    id,
    state: row.status,
    since: row.createdAt,
    facts,
    lists: [],
    provider: null,
    discrepancies: [],
    history: null,
  };
}
