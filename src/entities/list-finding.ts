// What a scan of the provider's lists could not read: kept until it can be read, or an operator closes it.
import { defineEntity, p } from '@mikro-orm/core';
import { enumOf, moment } from './columns.ts';

export const listFindingKinds = [
  /** An object of a list that is outside the contract. */
  'unreadable',
  /** A list whose pages lead back to pages before them: what comes after is unseen. */
  'cursor_circle',
] as const;

const scannedLists = ['payouts', 'transfers', 'movements'] as const;

export const ListFinding = defineEntity({
  name: 'ListFinding',
  tableName: 'list_findings',
  indexes: [
    {
      name: 'list_findings_open',
      expression: 'create index list_findings_open on list_findings (list, id) where resolved_at is null',
    },
  ],
  properties: {
    /** Derived from what it is about, so that each finding is one row however often it is found. */
    id: p.uuid().primary(),
    kind: enumOf('list_finding_kind', listFindingKinds),
    list: enumOf('scanned_list', scannedLists),
    /** The provider's id of the account whose movements are listed; null for other lists. */
    accountRef: p.uuid().nullable(),
    /** The provider's id of the object; null where it cannot be read, and for a circle. */
    providerRef: p.uuid().nullable(),
    /** The provider's id of the item before it; null at the beginning of the list. */
    position: p.uuid().nullable(),
    /** Names of fields and a rule, never a value of the provider's. */
    reason: p.text(),
    foundAt: moment(),
    resolvedAt: moment().nullable(),
    /** The operator's reason, or that it can be read. */
    resolution: p.text().nullable(),
  },
});
