// For each provider fault: the operations that it can be requested for, and the details that a request may have.

import type { ProviderFault } from '../fault-injection/kinds.ts';
import type { OperationId } from '../provider/operation-id.ts';
import { DETAIL_RULES } from './detail-rules.ts';

/** The details of a requested fault, by name. */
export type FaultDetails = Record<string, string | number>;

interface Entry {
  operations: readonly OperationId[];
  details: Record<string, keyof typeof DETAIL_RULES>;
}

const CREATIONS = ['createOwner', 'createAccount', 'createInternalTransfer', 'createPayout'] as const;

/** Calls that create something, or move money. */
const WRITES = [...CREATIONS, 'createQuote', 'reissuePayout', 'restartOwner'] as const;

/** Calls that get one resource by its uuid. */
const GETS = ['getOwner', 'getAccount', 'getInternalTransfer', 'getPayout'] as const;

/** Calls that find resources by their handle, or list them. */
const LOOKUPS = ['findOwners', 'findAccounts', 'findInternalTransfers', 'findPayouts'] as const;

const READS = [...GETS, ...LOOKUPS, 'listMovements', 'getMovement'] as const;

const ALL = [
  ...WRITES,
  ...READS,
  'updateOwner',
  'updateAccount',
  'updateInternalTransfer',
  'updatePayout',
  'createBankAccountValidation',
] as const;

export const CATALOGUE: Record<ProviderFault, Entry> = {
  receivedLate: { operations: WRITES, details: { lateMs: 'ms' } },
  forgottenHandle: { operations: CREATIONS, details: {} },
  unfundedTwin: { operations: ['createPayout'], details: {} },
  wrongQuote: {
    operations: ['createQuote'],
    details: {
      source_currency: 'currency',
      source_amount: 'amount',
      destination_currency: 'currency',
      destination_amount: 'amount',
    },
  },
  wrongDebit: { operations: ['createInternalTransfer'], details: { source_amount: 'amount' } },
  wrongDelivery: { operations: ['createInternalTransfer'], details: { destination_amount: 'amount' } },
  wrongPayout: { operations: ['createPayout'], details: { amount: 'amount' } },
  misreported: {
    operations: ['createInternalTransfer', 'createPayout'],
    details: {
      amount: 'amount',
      currency: 'currency',
      source_amount: 'amount',
      destination_amount: 'amount',
    },
  },
  vanished: { operations: GETS, details: { vanishedForMs: 'ms' } },
  vanishedHandle: { operations: GETS, details: {} },
  laggingRead: {
    operations: READS,
    details: { lagMs: 'lag' },
  },
  laggingLookup: { operations: LOOKUPS, details: { lagMs: 'lag' } },
  unseenWrite: { operations: LOOKUPS, details: { unseenForMs: 'lag' } },
  unreadable: { operations: ['createInternalTransfer', 'createPayout'], details: {} },
  otherReferences: {
    operations: ['createInternalTransfer', 'createPayout'],
    details: { references: 'references' },
  },
  longQuote: { operations: ['createQuote'], details: { longQuoteMs: 'ms' } },
  refused: { operations: WRITES, details: { code: 'code' } },
  limitedOperation: { operations: ALL, details: { limitedForSeconds: 'seconds' } },
  hangingRail: { operations: ['createPayout'], details: { railDelayMs: 'ms', railHangsForMs: 'ms' } },
  coarseClock: { operations: CREATIONS, details: { coarseClockMs: 'ms' } },
  jumpingClock: { operations: CREATIONS, details: { jumpBackMs: 'ms', jumpForMs: 'ms' } },
};

/** @returns a sentence for each detail that cannot be used. */
export function blameDetails(fault: ProviderFault | undefined, given: unknown): string[] {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return ['details must be a JSON object'];
  const known = fault ? CATALOGUE[fault].details : {};
  return Object.entries(given).flatMap(([name, value]) => {
    const kind = known[name];
    if (!kind) return [`details.${name.slice(0, 60)} is not known here`];
    return DETAIL_RULES[kind].isFit(value) ? [] : [`details.${name} must be ${DETAIL_RULES[kind].rule}`];
  });
}
