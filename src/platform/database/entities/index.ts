// Lists every table; each has its own file.
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import { AuditEvent } from './audit-event.ts';
import { BankDetails } from './bank-details.ts';
import { ConversionQuote } from './conversion-quote.ts';
import { DataKey } from './data-key.ts';
import { DataRequest } from './data-request.ts';
import { Discrepancy } from './discrepancy.ts';
import { Effect } from './effect.ts';
import { EffectPause } from './effect-pause.ts';
import { IdempotencyKey } from './idempotency-key.ts';
import { IdentityUser } from './identity-user.ts';
import { JobRun } from './job-run.ts';
import { KycVerification } from './kyc-verification.ts';
import { ListFinding } from './list-finding.ts';
import { OpenCircuit } from './open-circuit.ts';
import { PixPayment } from './pix-payment.ts';
import { PixQuote } from './pix-quote.ts';
import { Process } from './process.ts';
import { ProviderAccount } from './provider-account.ts';
import { ProviderCursor } from './provider-cursor.ts';
import { ProviderObjectUser } from './provider-object-user.ts';
import { ProviderResource } from './provider-resource.ts';
import { Transaction } from './transaction.ts';
import { Transition } from './transition.ts';
import { User } from './user.ts';
import { WebhookEvent } from './webhook-event.ts';
import { WebhookPayload } from './webhook-payload.ts';
import { WebhookSecret } from './webhook-secret.ts';
import { Withdraw } from './withdraw.ts';

export const entities = [
  User,
  IdentityUser,
  KycVerification,
  ProviderAccount,
  BankDetails,
  Transaction,
  PixQuote,
  PixPayment,
  ConversionQuote,
  Withdraw,
  Transition,
  Effect,
  ProviderResource,
  ProviderObjectUser,
  ProviderCursor,
  ListFinding,
  Process,
  OpenCircuit,
  EffectPause,
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
