// Fetches the provider's resources of one payment, withdrawal or user, so that operators do not decide by an old snapshot.

import type { Currency } from '../../src/domain/currency.ts';
import { currenciesOf } from '../../src/lifecycle/legs.ts';
import { OutcomeUnknown } from '../../src/provider/errors.ts';
import { fetchResource } from '../../src/provider/fetch.ts';
import type { Provider, Snapshot } from '../../src/provider/port.ts';
import type { Db } from '../../src/tables/orm.ts';
import { listResourcesOfSubject } from '../../src/tables/provider-resources/statements.ts';
import type { Entity } from '../../src/tables/rows.ts';
import type { SupportApp } from '../command.ts';
import { amount, oneLine } from '../format.ts';
import { providerReason } from '../open-sealed.ts';

/** `provider` is null for support, who read what it last reported. */
export type TimelineServices = { db: Db; provider: Provider | null; sealer: SupportApp['sealer'] };

export type LiveResource = {
  what: string;
  handle: string;
  providerRef: string | null;
  /** The provider's status; `not there` if it has no such resource, `unreachable` if there was no usable answer. */
  status: string;
  text: string;
  updatedAt: Date | null;
  said: string | null;
};

export async function liveResources(
  { db, provider, sealer }: TimelineServices,
  subject: { id: string; userId: string },
  home: Currency,
): Promise<LiveResource[]> {
  const resources = await listResourcesOfSubject(db, { subjectId: subject.id, userId: subject.userId });
  return Promise.all(resources.map((resource) => fetchLive({ provider, sealer }, resource, home)));
}

async function fetchLive(
  { provider, sealer }: Omit<TimelineServices, 'db'>,
  resource: Entity<'ProviderResource'>,
  home: Currency,
): Promise<LiveResource> {
  const { handle, kind, leg, providerRef } = resource;
  const line = { what: leg === null ? kind : `${kind} ${leg}`, handle, providerRef, updatedAt: null };
  const said = await providerReason(sealer, resource);
  if (provider === null) {
    const { snapshotStatus, snapshotUpdatedAt: updatedAt } = resource;
    return { ...line, status: snapshotStatus ?? 'not reported', text: '', updatedAt, said };
  }
  try {
    // A contestation is shown as it was last applied. The timeline of its payment lists it.
    if (kind === 'contestation')
      return { ...line, status: resource.snapshotStatus ?? 'not there', text: '', said };
    const snapshot = await fetchResource(provider, { ...resource, kind, providerRef });
    if (!snapshot) return { ...line, status: 'not there', text: '', said };
    if (providerRef !== null && snapshot.providerRef !== providerRef)
      return { ...line, status: 'not there', text: `a twin is: ${snapshot.providerRef}`, said };
    return {
      ...line,
      providerRef: snapshot.providerRef,
      status: snapshot.status,
      text: amountsOf(snapshot, leg, home),
      updatedAt: snapshot.updatedAt,
      said: 'failureReason' in snapshot && snapshot.failureReason ? oneLine(snapshot.failureReason) : said,
    };
  } catch (error) {
    if (!(error instanceof OutcomeUnknown)) throw error;
    const status = error.status === 404 ? 'not there' : 'unreachable';
    return { ...line, status, text: error.message, said };
  }
}

function amountsOf(snapshot: Snapshot, leg: Entity<'ProviderResource'>['leg'], home: Currency): string {
  switch (snapshot.kind) {
    case 'transfer': {
      const [from, to] = currenciesOf(leg ?? 'direct', home);
      return `${amount(snapshot.sourceAmountMinor, from)} -> ${amount(snapshot.destinationAmountMinor, to)}`;
    }
    case 'payout': {
      const receipt = snapshot.endToEndId === null ? '' : `, ${snapshot.endToEndId}`;
      const failure = snapshot.payoutFailure === null ? '' : `, ${snapshot.payoutFailure.code}`;
      return `${amount(snapshot.amountMinor, snapshot.currency)}, attempt ${snapshot.attempt}${receipt}${failure}`;
    }
    case 'account':
      return amount(snapshot.balanceMinor, snapshot.currency);
    case 'contestation':
      return '';
    case 'owner': {
      const { level, attempt, failureCode } = snapshot;
      return [level, attempt > 1 && `attempt ${attempt}`, failureCode].filter(Boolean).join(', ');
    }
  }
}
