// The timeline of a withdrawal.

import type { BankDetails } from '../../src/domain/bank-details.ts';
import { sentenceOf } from '../../src/domain/failure-reasons.ts';
import { maskBankDetails } from '../../src/domain/masking.ts';
import { encryptionContexts } from '../../src/security/encryption-contexts.ts';
import type { TimelineSubject } from '../../src/tables/ops/timeline.ts';
import { findWithdraw } from '../../src/tables/withdraws/statements.ts';
import { amount, moment, oneLine } from '../format.ts';
import { openedLine } from '../open-sealed.ts';
import { discrepanciesOf } from './discrepancies.ts';
import { historyOf } from './history.ts';
import { liveResources, type TimelineServices } from './provider-resources.ts';
import type { Timeline } from './timeline.ts';

export async function withdrawTimeline(
  services: TimelineServices,
  { id, userId }: TimelineSubject,
  now: Date,
): Promise<Timeline> {
  const row = await findWithdraw(services.db, { id, userId });
  if (!row) throw new Error(`the withdrawal ${id} is missing`);
  const { currency } = row;
  const place = encryptionContexts.withdrawDestination(userId, id);
  const destination = await openedLine(services.sealer, place, row.destinationSealed, maskedDestination);
  const subject = { id, userId, transactionId: id, home: currency, paysIn: currency };
  const [provider, history, discrepancies] = await Promise.all([
    liveResources(services, subject, currency),
    historyOf(services.db, subject, now),
    discrepanciesOf(services.db, subject, currency),
  ]);
  const facts = [
    { label: 'user', text: userId },
    { label: 'sends', text: `${amount(row.amountMinor, currency)} by ${row.rail} to ${destination}` },
    { label: 'reason', text: row.failure ?? '' },
    { label: 'the user reads', text: sentenceOf(row.failure, 'en') ?? '' },
    { label: 'accepted', text: moment(row.createdAt) },
  ];
  return {
    what: 'Withdrawal',
    id,
    state: row.state,
    since: row.stateEnteredAt,
    facts,
    lists: [],
    provider,
    discrepancies,
    history,
  };
}

function maskedDestination(text: string): string {
  const masked = maskBankDetails(JSON.parse(text) as BankDetails);
  const { accountHolderName: _name, currency: _currency, ...account } = masked;
  return oneLine(Object.values(account).join(' '));
}
