// The timeline of a deposit: one movement at the provider, and the transaction that it became.
import type { App } from '../../app.ts';
import { encryptionContexts } from '../../sealing/encryption-contexts.ts';
import { amount, moment } from '../format.ts';
import { openedLine } from '../open-sealed.ts';
import type { Found } from './find.ts';
import type { Timeline } from './timeline.ts';

export async function depositTimeline(app: App, { id, userId }: Found): Promise<Timeline> {
  const row = await app.db
    .selectFrom('transactions')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  const sealed = row.source_reference_sealed;
  const reference = sealed && (await openedLine(app, encryptionContexts.sourceReference(userId, id), sealed));
  const facts = [
    { label: 'user', text: userId },
    { label: 'received', text: amount(row.source_amount_minor, row.source_currency) },
    { label: 'the payer wrote', text: reference ?? '' },
    { label: 'movement', text: row.provider_ref ?? '' },
    { label: 'recorded', text: moment(row.created_at) },
  ];
  return {
    what: 'Deposit',
    id,
    state: row.status,
    since: row.created_at,
    facts,
    lists: [],
    provider: null,
    history: null,
  };
}
