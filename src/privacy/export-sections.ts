// Describes each table with personal data for the export: in words, and column by column as its entity marks them
// (src/tables/export-marks.ts).

import {
  contextOf,
  monthScope,
  type RowVersion,
  type SealedColumn,
} from '../security/encryption-contexts.ts';
import { entities } from '../tables/entities.ts';
import type { ExportMark, SealedUnder } from '../tables/export-marks.ts';
import type { PersonalTable } from '../tables/personal-data-map.ts';
import { columnOf, type Exported } from './export-values.ts';

type Description = {
  about: string;
  /** Whether the section has data that the user provided or caused, which is what an export for portability has. */
  isTheirOwn: boolean;
};

const descriptions: Record<Exclude<PersonalTable, 'data_keys'>, Description> = {
  users: {
    about: 'Your account: how you sign in, your display name, and when you opened and closed the account.',
    isTheirOwn: true,
  },
  identity_users: {
    about:
      'The identifier that your sign-in provider uses for you. We use it to find your account when you sign in.',
    isTheirOwn: false,
  },
  kyc_verifications: {
    about: 'Your identity verification, with the name and the e-mail address that were verified.',
    isTheirOwn: true,
  },
  provider_accounts: {
    about: 'Your accounts at our banking provider, and the bank details for deposits to them.',
    isTheirOwn: false,
  },
  bank_details: {
    about: 'The bank accounts that you saved for withdrawals, and the result of the check of each.',
    isTheirOwn: true,
  },
  transactions: {
    about: 'Your deposits, payments and withdrawals, as the app lists them.',
    isTheirOwn: true,
  },
  pix_payments: {
    about: 'Your PIX payments: the key, the recipient, the price and the outcome.',
    isTheirOwn: true,
  },
  contestations: {
    about: 'The payments that you contested: the reason, what you wrote, and the outcome.',
    isTheirOwn: true,
  },
  payout_refunds: {
    about: 'The parts of your payments that came back, and what they were worth in your currency.',
    isTheirOwn: true,
  },
  pix_quotes: {
    about: 'The prices that you requested for PIX payments.',
    isTheirOwn: true,
  },
  pix_lookups: {
    about:
      'The recipients that you looked up before a payment, as the directory of PIX named them. Those that you did not pay are deleted after a day.',
    isTheirOwn: false,
  },
  pix_codes: {
    about:
      'The PIX codes that the app read for you: whom each pays, how much, and until when. We delete a code after a day, unless you paid it.',
    isTheirOwn: false,
  },
  pix_recipients: {
    about:
      'The recipients that you have paid by PIX, as the app lists them. Their keys and names are in the payments that each row names.',
    isTheirOwn: false,
  },
  name_checks: {
    about:
      'The checks of the name on your bank account before withdrawals, with the name that the bank suggested. They are deleted after a day.',
    isTheirOwn: false,
  },
  name_budgets: {
    about: 'When you can look up as many recipients as the rules of PIX allow.',
    isTheirOwn: false,
  },
  withdraws: {
    about: 'Your withdrawals, with the bank account as it was when we accepted each withdrawal.',
    isTheirOwn: true,
  },
  data_requests: {
    about: 'Your requests under data protection law, in your own words.',
    isTheirOwn: true,
  },
  transitions: {
    about:
      'The history of your payments, withdrawals, accounts and verification: each change of state and its cause. Amounts are in minor units, such as pence, and the event names the unit.',
    isTheirOwn: false,
  },
  effects: {
    about:
      'Our orders to the banking provider on your behalf: conversions, payouts, accounts, and checks of bank details.',
    isTheirOwn: false,
  },
  provider_resources: {
    about:
      'The records that our banking provider keeps for you, and the reason that it gave for each failure.',
    isTheirOwn: false,
  },
  provider_object_users: {
    about:
      'The banking provider’s identifiers of your identity, accounts, deposits and paid charges. We keep them so that no other user can be linked to them, and so that a charge is paid once.',
    isTheirOwn: false,
  },
  conversion_quotes: {
    about: 'Exchange rates that we obtained for the later conversions of a payment, or for its refund.',
    isTheirOwn: false,
  },
  discrepancies: {
    about: 'Differences between the provider’s records and ours, and how each was resolved.',
    isTheirOwn: false,
  },
  webhook_payloads: {
    about: 'The contents of the messages in webhook_events. Each has the id of its message (eventId).',
    isTheirOwn: false,
  },
  webhook_events: {
    about:
      'Messages from our banking provider about your payments, accounts and deposits. We remove the content of a message 90 days after we processed it. Until then it is in webhook_payloads, or here if we keep it for longer. Messages that changed nothing are not linked to you, so this list does not contain them.',
    isTheirOwn: false,
  },
  idempotency_keys: {
    about: 'Keys that let the app repeat a request without executing it twice.',
    isTheirOwn: false,
  },
  audit_events: {
    about: 'Who accessed or tried to access your data, and what our staff changed.',
    isTheirOwn: false,
  },
};

type ExportedTable = keyof typeof descriptions;

type Section = Description & { columns: Record<string, Exported> };

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
    'The key that encrypts your personal data. It is a secret of the service. This export contains the decrypted data.',
};

/**
 * Returns how an export shows each property of an entity.
 * @throws if a property has no mark, because it is undecided whether an export shows it.
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
