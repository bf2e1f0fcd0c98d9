// Describes each table with personal data for the export: in words, and column by column under the names of their properties. A new
// column does not compile until it is listed here.
import type { Tables } from '../platform/database/entities/index.ts';
import { encryptionContexts, type RowVersion } from '../platform/security/encryption-contexts.ts';
import type { EncryptionContext } from '../platform/security/envelope.ts';
import type { PersonalTable } from '../platform/sql/personal-data-map.ts';
import type { Exported, ExportedRow } from './export-values.ts';

type Section<Table extends PersonalTable> = {
  about: string;
  /** Whether the section has data that the user provided or caused, which is what an export for portability has. */
  isTheirOwn: boolean;
  columns: Record<PropertyOf<keyof Tables[Table] & string>, Exported>;
};

/** The property name of a column: `createdAt` for `created_at`. */
type PropertyOf<Column extends string> = Column extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<PropertyOf<Rest>>}`
  : Column;

const text = (row: ExportedRow, column: string): string => String(row[column]);

/** A value that is written once. It is sealed with the user's data key and bound to the row's id or to another column of the row. */
const sealed = (
  context: (userId: string, row: string) => EncryptionContext,
  { owner = 'userId', row = 'id' } = {},
): Exported => ({
  sealedAt: (one) => context(text(one, owner), text(one, row)),
});

/** A sealed value that may be replaced. It is bound to the version in another column of its row. */
const sealedIn = (
  context: (userId: string, row: string, version: RowVersion) => EncryptionContext,
  { row = 'id', version }: { row?: string; version: string },
): Exported => ({
  sealedAt: (one) => context(text(one, 'userId'), text(one, row), one[version] as RowVersion),
});

const ours: Exported = { leftOutBecause: 'It counts our own steps and says nothing about a person.' };
const operators: Exported = { leftOutBecause: 'It names a member of our staff.' };
const userId = 'verbatim';

/** The sections, in the order of the export. */
export const sections: { [Table in Exclude<PersonalTable, 'data_keys'>]: Section<Table> } = {
  users: {
    about:
      'The account: how the person signs in, what they are called here, and when it was made and closed.',
    isTheirOwn: true,
    columns: {
      id: 'verbatim',
      authProvider: 'verbatim',
      authSubject: 'verbatim',
      emailSealed: sealed(encryptionContexts.email, { owner: 'id' }),
      displayName: 'verbatim',
      homeCurrency: 'verbatim',
      balanceMinor: { minorUnitsIn: 'homeCurrency' },
      balanceReadAt: 'verbatim',
      balanceVersion: ours,
      closedAt: 'verbatim',
      hardDeletionDueAt: 'verbatim',
      createdAt: 'verbatim',
    },
  },
  identity_users: {
    about: 'By what the identity provider knows the person: signing in finds the account by it.',
    isTheirOwn: false,
    columns: { authProvider: 'verbatim', authSubject: 'verbatim', userId },
  },
  kyc_verifications: {
    about: 'The identity verification, with the name and the e-mail address that were verified.',
    isTheirOwn: true,
    columns: {
      id: 'verbatim',
      userId,
      state: 'verbatim',
      seq: ours,
      stateEnteredAt: 'verbatim',
      level: 'verbatim',
      attempt: 'verbatim',
      failureCode: 'verbatim',
      identitySealed: sealedIn(encryptionContexts.identity, { version: 'identitySealedAt' }),
      identitySealedAt: ours,
      completedAt: 'verbatim',
      createdAt: 'verbatim',
      updatedAt: 'verbatim',
    },
  },
  provider_accounts: {
    about: 'The accounts opened for the person at the banking provider, and where to send deposits to.',
    isTheirOwn: false,
    columns: {
      id: 'verbatim',
      userId,
      currency: 'verbatim',
      state: 'verbatim',
      seq: ours,
      stateEnteredAt: 'verbatim',
      providerAccountId: 'verbatim',
      movementsCursor: ours,
      depositInstructionsSealed: sealedIn(encryptionContexts.depositInstructions, {
        version: 'depositInstructionsSealedAt',
      }),
      depositInstructionsSealedAt: ours,
      createdAt: 'verbatim',
      updatedAt: 'verbatim',
    },
  },
  bank_details: {
    about: 'The bank accounts that the person saved to withdraw to, and what checking them came to.',
    isTheirOwn: true,
    columns: {
      id: 'verbatim',
      userId,
      currency: 'verbatim',
      detailsSealed: sealedIn(encryptionContexts.bankDetails, { row: 'currency', version: 'version' }),
      version: 'verbatim',
      validationStatus: 'verbatim',
      validatedAt: 'verbatim',
      createdAt: 'verbatim',
      updatedAt: 'verbatim',
    },
  },
  transactions: {
    about: 'Every deposit, payment and withdrawal, as it is listed in the app.',
    isTheirOwn: true,
    columns: {
      id: 'verbatim',
      userId,
      type: 'verbatim',
      status: 'verbatim',
      sourceCurrency: 'verbatim',
      sourceAmountMinor: { minorUnitsIn: 'sourceCurrency' },
      destCurrency: 'verbatim',
      destAmountMinor: { minorUnitsIn: 'destCurrency' },
      fxRate: 'verbatim',
      provider: 'verbatim',
      providerRef: 'verbatim',
      sourceReferenceSealed: sealed(encryptionContexts.sourceReference),
      failure: 'verbatim',
      createdAt: 'verbatim',
      completedAt: 'verbatim',
    },
  },
  pix_payments: {
    about: 'The PIX payments: to which key and to whom, at what price, and what became of them.',
    isTheirOwn: true,
    columns: {
      id: 'verbatim',
      userId,
      transactionId: 'verbatim',
      quoteId: 'verbatim',
      state: 'verbatim',
      seq: ours,
      stateEnteredAt: 'verbatim',
      flow: 'verbatim',
      amountBrlMinor: { minorUnitsOf: 'BRL' },
      sourceCurrency: 'verbatim',
      sourceAmountMinor: { minorUnitsIn: 'sourceCurrency' },
      usdcQuotedMinor: { minorUnitsOf: 'USDC' },
      exchangeRate: 'verbatim',
      pixKeyType: 'verbatim',
      pixKeySealed: sealed(encryptionContexts.pixKey),
      recipientNameSealed: sealed(encryptionContexts.recipientName),
      homeDebitMinor: { minorUnitsIn: 'sourceCurrency' },
      usdcDeliveredMinor: { minorUnitsOf: 'USDC' },
      usdcResidualMinor: { minorUnitsOf: 'USDC' },
      brlResidualMinor: { minorUnitsOf: 'BRL' },
      returnCapBps: 'verbatim',
      payoutAttempt: 'verbatim',
      endToEndId: 'verbatim',
      voucherId: 'verbatim',
      failure: 'verbatim',
      acknowledgedSeq: ours,
      acknowledgedAt: 'verbatim',
      acknowledgement: 'verbatim',
      settlementAmountMinor: { minorUnitsIn: 'settlementCurrency' },
      settlementCurrency: 'verbatim',
      settlementReference: 'verbatim',
      settlementProposedBy: operators,
      settlementConfirmedBy: operators,
      settledAt: 'verbatim',
      expiresAt: 'verbatim',
      createdAt: 'verbatim',
      updatedAt: 'verbatim',
    },
  },
  pix_quotes: {
    about: 'The prices that the person asked for.',
    isTheirOwn: true,
    columns: {
      id: 'verbatim',
      userId,
      flow: 'verbatim',
      amountBrlMinor: { minorUnitsOf: 'BRL' },
      sourceCurrency: 'verbatim',
      sourceAmountMinor: { minorUnitsIn: 'sourceCurrency' },
      usdcQuotedMinor: { minorUnitsOf: 'USDC' },
      rate: 'verbatim',
      serviceSpreadBps: 'verbatim',
      providerQuoteId: 'verbatim',
      providerLifeMs: ours,
      expiresAt: 'verbatim',
      createdAt: 'verbatim',
    },
  },
  withdraws: {
    about: 'The withdrawals, with the bank account as it was when each was accepted.',
    isTheirOwn: true,
    columns: {
      id: 'verbatim',
      userId,
      state: 'verbatim',
      seq: ours,
      stateEnteredAt: 'verbatim',
      currency: 'verbatim',
      amountMinor: { minorUnitsIn: 'currency' },
      rail: 'verbatim',
      bankDetailsId: 'verbatim',
      bankDetailsVersion: 'verbatim',
      destinationSealed: sealed(encryptionContexts.withdrawDestination),
      expectedSettlementSeconds: 'verbatim',
      failure: 'verbatim',
      createdAt: 'verbatim',
      updatedAt: 'verbatim',
    },
  },
  data_requests: {
    about: 'What the person asked for under data protection law, with their own words.',
    isTheirOwn: true,
    columns: {
      id: 'verbatim',
      userId,
      type: 'verbatim',
      status: 'verbatim',
      notesSealed: sealed(encryptionContexts.requestNotes),
      receivedAt: 'verbatim',
      dueAt: 'verbatim',
      closedAt: 'verbatim',
    },
  },
  transitions: {
    about:
      'The history: each change of state of a payment, withdrawal, account or verification, and what caused it. Amounts are in minor units, named in the event.',
    isTheirOwn: false,
    columns: {
      subjectKind: 'verbatim',
      subjectId: 'verbatim',
      seq: 'verbatim',
      userId,
      fromState: 'verbatim',
      toState: 'verbatim',
      event: 'verbatim',
      eventData: 'verbatim',
      causeKind: 'verbatim',
      causeId: {
        leftOutBecause: 'It may name one of our people; what is about the person is in the other sections.',
      },
      occurredAt: 'verbatim',
    },
  },
  effects: {
    about: 'Work that was ordered for the person: conversions, payouts, accounts, checks of bank details.',
    isTheirOwn: false,
    columns: {
      id: 'verbatim',
      userId,
      subjectKind: 'verbatim',
      subjectId: 'verbatim',
      seq: 'verbatim',
      type: 'verbatim',
      params: 'verbatim',
      status: 'verbatim',
      attempts: 'verbatim',
      lastError: 'verbatim',
      dueAt: 'verbatim',
      leasedBy: ours,
      leaseToken: ours,
      urgentUntil: 'verbatim',
      lastUnknownAt: 'verbatim',
      heldRefusal: 'verbatim',
      pausedMs: ours,
      traceparent: ours,
      createdAt: 'verbatim',
      finishedAt: 'verbatim',
    },
  },
  provider_resources: {
    about: 'What exists at the banking provider for the person, and what it said when something went wrong.',
    isTheirOwn: false,
    columns: {
      handle: 'verbatim',
      kind: 'verbatim',
      userId,
      subjectKind: 'verbatim',
      subjectId: 'verbatim',
      leg: 'verbatim',
      providerRef: 'verbatim',
      debitedBalanceVersion: ours,
      snapshotUpdatedAt: 'verbatim',
      snapshotStatus: 'verbatim',
      snapshotAttempt: 'verbatim',
      snapshotContent: 'verbatim',
      announcedAt: 'verbatim',
      reasonSealed: sealedIn(encryptionContexts.providerReason, {
        row: 'handle',
        version: 'reasonSealedAt',
      }),
      reasonSealedAt: ours,
      pollCount: ours,
      pollFailures: ours,
      nextPollAt: ours,
      leasedBy: ours,
      leaseToken: ours,
      callbackSecretId: ours,
      traceparent: ours,
      createdAt: 'verbatim',
    },
  },
  provider_object_users: {
    about:
      'The provider’s numbers of the person’s identity, accounts and deposits, kept so that they are nobody else’s.',
    isTheirOwn: false,
    columns: { providerRef: 'verbatim', kind: 'verbatim', userId },
  },
  conversion_quotes: {
    about: 'Prices taken from the provider for the second half of a conversion, or for its way back.',
    isTheirOwn: false,
    columns: {
      providerQuoteId: 'verbatim',
      userId,
      paymentId: 'verbatim',
      leg: 'verbatim',
      lifeMs: 'verbatim',
      isConsumed: 'verbatim',
      createdAt: 'verbatim',
    },
  },
  discrepancies: {
    about: 'What the provider said that did not agree with what was known, and what was found out about it.',
    isTheirOwn: false,
    columns: {
      id: 'verbatim',
      userId,
      subjectKind: 'verbatim',
      subjectId: 'verbatim',
      handle: 'verbatim',
      kind: 'verbatim',
      fingerprint: ours,
      providerRef: 'verbatim',
      event: 'verbatim',
      eventData: 'verbatim',
      state: 'verbatim',
      snapshotUpdatedAt: 'verbatim',
      causeKind: 'verbatim',
      causeId: {
        leftOutBecause: 'It may name one of our people; what is about the person is in the other sections.',
      },
      occurredAt: 'verbatim',
      resolvedAt: 'verbatim',
      resolution: 'verbatim',
    },
  },
  webhook_events: {
    about:
      'What the provider told us about the person’s payments, accounts and deposits. The content is removed 90 days after it was processed. Messages that changed nothing here are not linked to a person, so they are not in this list.',
    isTheirOwn: false,
    columns: {
      id: 'verbatim',
      provider: 'verbatim',
      externalId: 'verbatim',
      eventType: 'verbatim',
      payloadSealed: {
        sealedAt: (row) => encryptionContexts.webhookPayload(text(row, 'id'), row['receivedAt'] as Date),
      },
      status: 'verbatim',
      outcome: 'verbatim',
      attempts: 'verbatim',
      dueAt: 'verbatim',
      leasedBy: ours,
      leaseToken: ours,
      userId,
      transactionId: 'verbatim',
      receivedAt: 'verbatim',
      processedAt: 'verbatim',
    },
  },
  idempotency_keys: {
    about: 'Keys under which the app may repeat a request without doing it twice.',
    isTheirOwn: false,
    columns: {
      userId,
      operation: 'verbatim',
      key: 'verbatim',
      requestHash: { leftOutBecause: 'The hash of a request whose content is in the other sections.' },
      resourceId: 'verbatim',
      createdAt: 'verbatim',
    },
  },
  audit_events: {
    about: 'Who read, or tried to read, what is about the person, and what was changed by hand.',
    isTheirOwn: false,
    columns: {
      id: 'verbatim',
      seq: ours,
      previousHash: ours,
      hash: ours,
      occurredAt: 'verbatim',
      recordedAt: 'verbatim',
      action: 'verbatim',
      userId,
      requestId: 'verbatim',
      details: { without: ['operator'], because: 'The names of our people are theirs.' },
    },
  },
};

/** Tables with personal data that no export has, with the reason. */
export const withheld: Record<Exclude<PersonalTable, keyof typeof sections>, string> = {
  data_keys:
    'The key that seals the person’s values here: a secret of the service. What it seals is shown opened.',
};
