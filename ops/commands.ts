// Lists every command of `npm run ops`, in the order of its help. Views only read. Actions change something and require a reason and
// the operator's name. A command's file has its name, its help, its checks and its writes.

import { paymentsAcknowledgeCommand } from './actions/acknowledge-payment.ts';
import { recoveryAdoptCommand } from './actions/adopt-orphans.ts';
import { recoveryBeginCommand } from './actions/begin-recovery.ts';
import {
  dataRequestsCloseCommand,
  dataRequestsExportCommand,
  dataRequestsReadCommand,
} from './actions/data-requests.ts';
import { discrepanciesEndCommand } from './actions/end-discrepancy.ts';
import { recoveryEndCommand } from './actions/end-recovery.ts';
import { findCommand } from './actions/find.ts';
import { discrepanciesFollowCommand } from './actions/follow-object.ts';
import { erasureRunCommand, payloadsPurgeCommand, reconciliationRunCommand } from './actions/nightly-jobs.ts';
import { effectsPauseCommand, effectsResumeCommand } from './actions/pause-effects.ts';
import { webhooksReplayCommand } from './actions/replay-webhook.ts';
import { effectsRequeueCommand } from './actions/requeue-effect.ts';
import { discrepanciesResolveCommand } from './actions/resolve-discrepancy.ts';
import { paymentsRetryPayoutCommand } from './actions/retry-payout.ts';
import { paymentsReturnCommand } from './actions/return-payment.ts';
import { webhookSecretRevokeCommand } from './actions/revoke-webhook-secret.ts';
import { keysRotateCommand } from './actions/rotate-keys.ts';
import { webhookSecretRotateCommand } from './actions/rotate-webhook-secret.ts';
import { paymentsSettleCommand } from './actions/settle-payment.ts';
import { paymentsStopReturnCommand } from './actions/stop-return.ts';
import type { CommandSpec } from './command.ts';
import { accountsClosedWithMoneyCommand } from './views/accounts-closed-with-money.ts';
import { auditCommand } from './views/audit.ts';
import { auditVerifyCommand } from './views/audit-verify.ts';
import { dataRequestsCommand } from './views/data-requests.ts';
import { discrepanciesCommand } from './views/discrepancies.ts';
import { effectsCommand } from './views/effects.ts';
import { failuresCommand } from './views/failures.ts';
import { keysStatusCommand } from './views/keys.ts';
import { recoveryListCommand } from './views/orphans.ts';
import { overdueCommand } from './views/overdue.ts';
import { partialReturnsCommand } from './views/partial-returns.ts';
import { paymentsCommand } from './views/payments.ts';
import { showCommand } from './views/show.ts';
import { statusCommand } from './views/status.ts';
import { webhookSecretStatusCommand } from './views/webhook-secrets.ts';
import { webhooksCommand } from './views/webhooks.ts';

const views: CommandSpec[] = [
  statusCommand,
  showCommand,
  overdueCommand,
  paymentsCommand,
  partialReturnsCommand,
  effectsCommand,
  failuresCommand,
  webhooksCommand,
  discrepanciesCommand,
  recoveryListCommand,
  accountsClosedWithMoneyCommand,
  dataRequestsCommand,
  keysStatusCommand,
  webhookSecretStatusCommand,
  auditCommand,
  auditVerifyCommand,
];

const actions: CommandSpec[] = [
  findCommand,
  paymentsRetryPayoutCommand,
  paymentsReturnCommand,
  paymentsStopReturnCommand,
  paymentsSettleCommand,
  paymentsAcknowledgeCommand,
  effectsRequeueCommand,
  effectsPauseCommand,
  effectsResumeCommand,
  webhooksReplayCommand,
  discrepanciesResolveCommand,
  discrepanciesFollowCommand,
  discrepanciesEndCommand,
  reconciliationRunCommand,
  recoveryBeginCommand,
  recoveryAdoptCommand,
  recoveryEndCommand,
  dataRequestsReadCommand,
  dataRequestsExportCommand,
  dataRequestsCloseCommand,
  erasureRunCommand,
  payloadsPurgeCommand,
  keysRotateCommand,
  webhookSecretRotateCommand,
  webhookSecretRevokeCommand,
];

export const groups = [
  { title: 'Views:', commands: views, areActions: false },
  { title: 'Actions:', commands: actions, areActions: true },
] as const;

export const commands: readonly CommandSpec[] = [...views, ...actions];
