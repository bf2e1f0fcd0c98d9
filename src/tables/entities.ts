// Lists every table; each has its own file.
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import { AuditEvent } from './audit-events/entity.ts';
import { BankDetails } from './bank-details/entity.ts';
import { Contestation } from './contestations/entity.ts';
import { ConversionQuote } from './conversion-quotes/entity.ts';
import { DataKey } from './data-keys/entity.ts';
import { DataRequest } from './data-requests/entity.ts';
import { DatabaseHistory } from './database-histories/entity.ts';
import { Discrepancy } from './discrepancies/entity.ts';
import { EffectPause } from './effect-pauses/entity.ts';
import { Effect } from './effects/entity.ts';
import { IdempotencyKey } from './idempotency-keys/entity.ts';
import { IdentityUser } from './identity-users/entity.ts';
import { JobRun } from './job-runs/entity.ts';
import { KycVerification } from './kyc-verifications/entity.ts';
import { ListFinding } from './list-findings/entity.ts';
import { NameBudget } from './name-budgets/entity.ts';
import { NameCheck } from './name-checks/entity.ts';
import { OpenCircuit } from './open-circuits/entity.ts';
import { OperatorRole } from './operator-roles/entity.ts';
import { PayoutRefund } from './payout-refunds/entity.ts';
import { PixCode } from './pix-codes/entity.ts';
import { PixLookup } from './pix-lookups/entity.ts';
import { PixPayment } from './pix-payments/entity.ts';
import { PixQuote } from './pix-quotes/entity.ts';
import { PixRecipient } from './pix-recipients/entity.ts';
import { Process } from './processes/entity.ts';
import { ProviderAccount } from './provider-accounts/entity.ts';
import { ProviderCursor } from './provider-cursors/entity.ts';
import { ProviderObjectUser } from './provider-object-users/entity.ts';
import { ProviderResource } from './provider-resources/entity.ts';
import { Transaction } from './transactions/entity.ts';
import { Transition } from './transitions/entity.ts';
import { User } from './users/entity.ts';
import { WebhookEvent } from './webhook-events/entity.ts';
import { WebhookPayload } from './webhook-payloads/entity.ts';
import { WebhookSecret } from './webhook-secrets/entity.ts';
import { Withdraw } from './withdraws/entity.ts';

export const entities = [
  User,
  IdentityUser,
  KycVerification,
  ProviderAccount,
  BankDetails,
  NameCheck,
  Transaction,
  PixQuote,
  PixLookup,
  PixCode,
  NameBudget,
  PixPayment,
  PixRecipient,
  ConversionQuote,
  Withdraw,
  Contestation,
  PayoutRefund,
  Transition,
  Effect,
  ProviderResource,
  ProviderObjectUser,
  ProviderCursor,
  ListFinding,
  Process,
  OpenCircuit,
  EffectPause,
  DatabaseHistory,
  OperatorRole,
  Discrepancy,
  JobRun,
  WebhookEvent,
  WebhookPayload,
  WebhookSecret,
  IdempotencyKey,
  DataRequest,
  AuditEvent,
  DataKey,
] as const;

/** The tables for Kysely, with the database's names of tables and columns. */
export type Tables = InferKyselyDB<(typeof entities)[number]>;

/** How names in `Entities` are formed. The plugin that translates the names reads this as well. */
export const entityNaming = { tableNamingStrategy: 'entity', columnNamingStrategy: 'property' } as const;

/** The same tables, with the names of entities and properties. */
export type Entities = InferKyselyDB<(typeof entities)[number], typeof entityNaming>;
