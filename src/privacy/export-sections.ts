// Describes each table with personal data for the export: in words, and column by column as its entity marks them
// (src/platform/database/entities/export-marks.ts).
import type { ExportMark, SealedUnder } from '../platform/database/entities/export-marks.ts';
import { entities } from '../platform/database/entities/index.ts';
import {
  contextOf,
  monthScope,
  type RowVersion,
  type SealedColumn,
} from '../platform/security/encryption-contexts.ts';
import type { PersonalTable } from '../platform/sql/personal-data-map.ts';
import { columnOf, type Exported } from './export-values.ts';

type Description = {
  about: string;
  /** Whether the section has data that the user provided or caused, which is what an export for portability has. */
  isTheirOwn: boolean;
};

/** A description of each section, in the order of the export. */
const descriptions: Record<Exclude<PersonalTable, 'data_keys'>, Description> = {
  users: {
    about:
      'The account: how the person signs in, what they are called here, and when it was made and closed.',
    isTheirOwn: true,
  },
  identity_users: {
    about: 'By what the identity provider knows the person: signing in finds the account by it.',
    isTheirOwn: false,
  },
  kyc_verifications: {
    about: 'The identity verification, with the name and the e-mail address that were verified.',
    isTheirOwn: true,
  },
  provider_accounts: {
    about: 'The accounts opened for the person at the banking provider, and where to send deposits to.',
    isTheirOwn: false,
  },
  bank_details: {
    about: 'The bank accounts that the person saved to withdraw to, and what checking them came to.',
    isTheirOwn: true,
  },
  transactions: {
    about: 'Every deposit, payment and withdrawal, as it is listed in the app.',
    isTheirOwn: true,
  },
  pix_payments: {
    about: 'The PIX payments: to which key and to whom, at what price, and what became of them.',
    isTheirOwn: true,
  },
  pix_quotes: {
    about: 'The prices that the person asked for.',
    isTheirOwn: true,
  },
  withdraws: {
    about: 'The withdrawals, with the bank account as it was when each was accepted.',
    isTheirOwn: true,
  },
  data_requests: {
    about: 'What the person asked for under data protection law, with their own words.',
    isTheirOwn: true,
  },
  transitions: {
    about:
      'The history: each change of state of a payment, withdrawal, account or verification, and what caused it. Amounts are in minor units, named in the event.',
    isTheirOwn: false,
  },
  effects: {
    about: 'Work that was ordered for the person: conversions, payouts, accounts, checks of bank details.',
    isTheirOwn: false,
  },
  provider_resources: {
    about: 'What exists at the banking provider for the person, and what it said when something went wrong.',
    isTheirOwn: false,
  },
  provider_object_users: {
    about:
      'The provider’s numbers of the person’s identity, accounts and deposits, kept so that they are nobody else’s.',
    isTheirOwn: false,
  },
  conversion_quotes: {
    about: 'Prices taken from the provider for the second half of a conversion, or for its way back.',
    isTheirOwn: false,
  },
  discrepancies: {
    about: 'What the provider said that did not agree with what was known, and what was found out about it.',
    isTheirOwn: false,
  },
  webhook_payloads: {
    about: 'The contents of the messages in webhook_events, each with the id of its message (eventId).',
    isTheirOwn: false,
  },
  webhook_events: {
    about:
      'What the provider told us about the person’s payments, accounts and deposits. The content is removed 90 days after it was processed. Until then it is in webhook_payloads, or here if it is kept for longer. Messages that changed nothing here are not linked to a person, so they are not in this list.',
    isTheirOwn: false,
  },
  idempotency_keys: {
    about: 'Keys under which the app may repeat a request without doing it twice.',
    isTheirOwn: false,
  },
  audit_events: {
    about: 'Who read, or tried to read, what is about the person, and what was changed by hand.',
    isTheirOwn: false,
  },
};

type ExportedTable = keyof typeof descriptions;

type Section = Description & { columns: Record<string, Exported> };

/** The sections, in the order of the export. */
export const sections = Object.fromEntries(
  Object.entries(descriptions).map(([table, description]) => {
    const entity = entities.find(({ meta }) => meta.tableName === table);
    if (entity === undefined) throw new Error(`no entity has the table ${table}`);
    return [table, { ...description, columns: columnsOf(entity.meta) }];
  }),
) as Record<ExportedTable, Section>;

/** Tables with personal data that no export has, with the reason. */
export const withheld: Record<Exclude<PersonalTable, ExportedTable>, string> = {
  data_keys:
    'The key that seals the person’s values here: a secret of the service. What it seals is shown opened.',
};

/**
 * Returns how an export shows each property of an entity.
 * @throws if a property has no mark, because nobody has decided whether an export shows it.
 */
export function columnsOf({ tableName, properties }: MarkedEntity): Section['columns'] {
  return Object.fromEntries(
    Object.entries(properties).map(([property, { exportMark }]) => {
      if (exportMark === undefined)
        throw new Error(`${tableName}.${property} does not say how an export shows it (export-marks.ts)`);
      if (typeof exportMark === 'string' || !('sealedUnder' in exportMark)) return [property, exportMark];
      const { sealedUnder, boundTo = `${tableName}.${columnOf(property)}` } = exportMark;
      return [property, opened(boundTo as SealedColumn, sealedUnder)];
    }),
  );
}

type MarkedEntity = { tableName: string; properties: Record<string, { exportMark?: ExportMark }> };

function opened(column: SealedColumn, { scope, row, version }: SealedUnder): Exported {
  return {
    sealedAt: (one) => {
      const owner = one[scope];
      return contextOf(
        column,
        owner instanceof Date ? monthScope(owner) : String(owner),
        String(one[row]),
        version === undefined ? null : (one[version] as RowVersion),
      );
    },
  };
}
