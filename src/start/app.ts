// The dependencies of handlers, effects and jobs. A test can replace each of them.

import type { AuditLog } from '../audit/log.ts';
import type { Clock } from '../domain/clock.ts';
import type { Log } from '../domain/log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Outbox } from '../outbox/hand-off.ts';
import type { Overload } from '../outbox/overload.ts';
import type { AgeOf, DatabaseClock } from '../platform/database/database-time.ts';
import type { GroupCommit } from '../platform/database/group-commit.ts';
import type { Caller, Priority } from '../provider/caller.ts';
import type { NameChecks } from '../provider/check-name.ts';
import type { PayoutChecks } from '../provider/check-payout.ts';
import type { Provider, ProviderConnection } from '../provider/port.ts';
import type { IdTokens } from '../security/id-token.ts';
import type { Sealer } from '../security/sealer.ts';
import type { SessionTokens } from '../security/session-token.ts';
import type { Entities } from '../tables/entities.ts';
import type { Db, Orm } from '../tables/orm.ts';
import type { StoreCallback } from '../webhooks/store.ts';
import type { UnownedTurns } from '../webhooks/unowned.ts';
import type { AcceptsSecret, WebhookVerifier } from '../webhooks/verify.ts';
import type { Config } from './config.ts';

export type App = {
  config: Config;
  clock: Clock;
  databaseClock: DatabaseClock;
  ageOf: AgeOf;
  log: Log;
  orm: Orm;
  db: Db;
  /** Sends the statements of nightly jobs over a small pool of their own, where a statement may take longer. */
  batchDb: Db;
  /**
   * Sends the statements that erase users over connections of the role that may erase. Equals `batchDb`
   * if no such role is configured.
   */
  erasureDb: Db;
  groupCommit: GroupCommit<Entities>;
  outbox: Outbox;
  overload: Overload;
  providerConnection: ProviderConnection;
  payoutChecks: PayoutChecks;
  nameChecks: NameChecks;
  sealer: Sealer;
  idTokens: IdTokens;
  sessions: SessionTokens;
  acceptsWebhookSecret: AcceptsSecret;
  webhookVerifier: WebhookVerifier;
  metrics: Metrics;
  storeCallback: StoreCallback;
  unownedTurns: UnownedTurns;
  auditLog: AuditLog;
};

/** The dependencies of code that calls the provider. All its calls have the priority of one caller. */
export type CallerServices<Of extends Priority> = App & { provider: Provider<Of> };

export const servicesFor = <Of extends Priority>(app: App, caller: Caller<Of>): CallerServices<Of> => ({
  ...app,
  provider: app.providerConnection.for(caller),
});
