// What handlers, effects and jobs are given to work with. Everything in it can be replaced in a test.

import type { AuditLog } from './audit/audit-log.ts';
import type { IdTokens } from './auth/id-token.ts';
import type { SessionTokens } from './auth/session-token.ts';
import type { Config } from './config/config.ts';
import type { GroupCommit } from './database/group-commit.ts';
import type { Db, Orm } from './database/orm.ts';
import type { Entities } from './entities/index.ts';
import type { Log } from './logging/log.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { Outbox } from './outbox/hand-off.ts';
import type { Overload } from './outbox/overload.ts';
import type { Provider } from './provider/port.ts';
import type { Sealer } from './sealing/sealer.ts';
import type { Clock } from './time/clock.ts';
import type { StoreCallback } from './webhooks/store.ts';
import type { AcceptsSecret, WebhookVerifier } from './webhooks/verify.ts';

export type App = {
  config: Config;
  clock: Clock;
  log: Log;
  /** The process's MikroORM. */
  orm: Orm;
  /** Connections of the MikroORM's own pool. */
  db: Db;
  /** For nightly jobs: a few connections of their own, on which a statement may take longer. */
  batchDb: Db;
  /** For erasing people: connections of the role that may. `batchDb` if no such role is configured. */
  erasureDb: Db;
  /** Commits decisions about different people together. */
  groupCommit: GroupCommit<Entities>;
  /** Where committed work is handed off. */
  outbox: Outbox;
  /** Whether new payments are refused, because those that were accepted wait too long. */
  overload: Overload;
  provider: Provider;
  sealer: Sealer;
  idTokens: IdTokens;
  sessions: SessionTokens;
  acceptsWebhookSecret: AcceptsSecret;
  webhookVerifier: WebhookVerifier;
  metrics: Metrics;
  storeCallback: StoreCallback;
  /** The audit record. */
  auditLog: AuditLog;
};
