// A part of the provider's lists that a scan could not read. It stays open until it can be read or an operator closes it.
import { defineEntity, p } from '@mikro-orm/core';
import { enumOf, moment } from '../columns.ts';

export const listFindingKinds = [
  /** An object in a list that violates the contract. */
  'unreadable',
  /** A list whose pages lead back to earlier pages, so that the rest of the list cannot be read. */
  'cursor_circle',
] as const;

const scannedLists = ['payouts', 'transfers', 'movements'] as const;

export const ListFinding = defineEntity({
  name: 'ListFinding',
  tableName: 'list_findings',
  place: 'coordinator',
  indexes: [
    {
      name: 'list_findings_open',
      expression: 'create index list_findings_open on list_findings (list, id) where resolved_at is null',
    },
  ],
  properties: {
    /** Derived from what the finding is about, so that a finding has one row however often it is found. */
    id: p.uuid().primary(),
    kind: enumOf('list_finding_kind', listFindingKinds),
    list: enumOf('scanned_list', scannedLists),
    /** The provider's id of the account whose movements are listed; null for other lists. */
    accountRef: p.uuid().nullable(),
    /** The provider's id of the object; null if it cannot be read, and for a circle. */
    providerRef: p.uuid().nullable(),
    /** The provider's id of the item before the finding; null at the beginning of the list. */
    position: p.uuid().nullable(),
    /** Names of fields, and the rule that they violate; never a value from the provider. */
    reason: p.text(),
    foundAt: moment(),
    resolvedAt: moment().nullable(),
    /** The operator's reason, or the statement that the object can be read. */
    resolution: p.text().nullable(),
  },
});
