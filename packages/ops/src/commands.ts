// Lists every command of `npm run ops`, in the order of its help. Views only read. Actions change something and require a reason and
// the operator's name.
import type { PixPaymentStatus } from '../../../openapi/generated/openapi.ts';
import type { CommandSpec, OptionSpec } from './command.ts';

/** The statuses of PIX payments. They are repeated here because every command would otherwise load the machine. */
export const paymentStatuses = [
  'quoted',
  'converting',
  'paying',
  'completed',
  'payout_failed',
  'refunding',
  'refunded',
  'manual_review',
  'failed',
  'conversion_failed',
] as const satisfies readonly PixPaymentStatus[];

/** The options of nightly jobs that are run by hand. */
const runOptions: Record<string, OptionSpec> = {
  name: { placeholder: '<run>', summary: 'a name for the run; an unfinished run of that name continues' },
};

const views: CommandSpec[] = [
  {
    name: 'status',
    summary: 'workers, outbox, pauses, open circuits, rows that wait for a person, nightly runs',
    load: () => import('./views/status.ts'),
  },
  {
    name: 'show',
    summary: 'the timeline of a payment, withdrawal, deposit or user, by any id of theirs',
    argument: { name: 'id', form: 'text' },
    load: () => import('./timeline/show.ts'),
  },
  {
    name: 'overdue',
    summary: 'rows that have been in their state for longer than its limit, oldest first',
    isList: true,
    load: () => import('./views/overdue.ts'),
  },
  {
    name: 'payments',
    summary: 'PIX payments that wait for a person, with the reason that the provider gave',
    isList: true,
    options: {
      state: {
        placeholder: '<state,...>',
        summary: 'payments in these states',
        default: 'manual_review,payout_failed',
        values: paymentStatuses,
      },
    },
    load: () => import('./views/payments.ts'),
  },
  {
    name: 'effects',
    summary: 'effects that are stuck: three attempts, five minutes old, or exhausted',
    isList: true,
    load: () => import('./views/effects.ts'),
  },
  {
    name: 'failures',
    summary: 'effects, callbacks, polls and nightly runs that have failed five times in a row or more',
    isList: true,
    load: () => import('./views/failures.ts'),
  },
  {
    name: 'webhooks',
    summary: 'callbacks that changed nothing, newest first',
    isList: true,
    options: {
      status: {
        placeholder: '<status,...>',
        summary: 'callbacks of these statuses',
        default: 'unmatched,ignored',
        values: ['received', 'applied', 'ignored', 'unmatched'],
      },
      all: { summary: 'also callbacks of kinds that the service does not use' },
    },
    load: () => import('./views/webhooks.ts'),
  },
  {
    name: 'discrepancies',
    summary: 'open discrepancies between the provider and our rows',
    isList: true,
    options: { all: { summary: 'also the resolved ones' } },
    load: () => import('./views/discrepancies.ts'),
  },
  {
    name: 'recovery list',
    summary: 'after an older backup was restored: resources of the provider without a row here',
    isList: true,
    options: {
      'known-ids': {
        placeholder: '<id,...>',
        summary: 'ids of ours, from logs or screens, to match them with',
      },
    },
    load: () => import('./views/orphans.ts'),
  },
  {
    name: 'accounts closed-with-money',
    summary: 'users who closed their account and still have a balance or a failed payout',
    isList: true,
    load: () => import('./views/accounts-closed-with-money.ts'),
  },
  {
    name: 'data-requests',
    summary: 'open requests of data subjects, the most urgent first',
    isList: true,
    options: { all: { summary: 'also the closed ones' } },
    load: () => import('./views/data-requests.ts'),
  },
  {
    name: 'keys status',
    summary: 'how many data keys each master key wraps',
    load: () => import('./views/keys.ts'),
  },
  {
    name: 'webhook-secret status',
    summary: 'the secrets that callbacks are accepted under, and how many are yet to be moved',
    load: () => import('./views/webhook-secrets.ts'),
  },
  {
    name: 'audit',
    summary: 'the changes that operators made, when and why, newest first',
    isList: true,
    options: { all: { summary: 'also refused sign-ins, ids and secrets, reveals and erasures' } },
    load: () => import('./views/audit.ts'),
  },
  {
    name: 'audit verify',
    summary: 'prove that no row of the audit record was changed or removed',
    options: {
      head: {
        placeholder: '<row:hash>',
        summary: 'the head that an earlier call printed: shows a record that was cut off or rewritten',
      },
      from: { placeholder: '<row>', summary: 'begin behind a break', default: '1' },
    },
    load: () => import('./views/audit-verify.ts'),
  },
];

const actions: CommandSpec[] = [
  {
    name: 'payments retry-payout',
    summary: 'issue a failed payout again, under the same origin id',
    argument: { name: 'paymentId', form: 'uuid' },
    load: () => import('./actions/retry-payout.ts'),
  },
  {
    name: 'payments return',
    summary: "convert a failed payout's BRL back to the user's balance, to the exact debit",
    argument: { name: 'paymentId', form: 'uuid' },
    options: {
      'subsidy-cap-bps': {
        placeholder: '<0-10000>',
        summary: "how much of the market's price the company bears, instead of MAKE_WHOLE_CAP_BPS",
      },
    },
    load: () => import('./actions/return-payment.ts'),
  },
  {
    name: 'payments settle',
    summary: 'record an outside settlement of a payment in manual_review; takes two operators',
    argument: { name: 'paymentId', form: 'uuid' },
    options: {
      amount: { placeholder: '<amount>', summary: 'what the user got, such as 35.82', isRequired: true },
      currency: {
        placeholder: '<currency>',
        summary: "the user's home currency or BRL",
        isRequired: true,
        values: ['GBP', 'EUR', 'BRL'],
      },
      reference: {
        placeholder: '<text>',
        summary: 'where the settlement is found, such as the id of the bank transfer',
        isRequired: true,
      },
    },
    load: () => import('./actions/settle-payment.ts'),
  },
  {
    name: 'payments acknowledge',
    summary: 'end the alarm of a payment in manual_review; the reason says who settles it',
    argument: { name: 'paymentId', form: 'uuid' },
    load: () => import('./actions/acknowledge-payment.ts'),
  },
  {
    name: 'effects requeue',
    summary: 'try an effect now, also an exhausted one',
    argument: { name: 'effectId', form: 'uuid' },
    load: () => import('./actions/requeue-effect.ts'),
  },
  {
    name: 'effects pause',
    summary: 'send no effects of one type to the provider until they are resumed',
    argument: { name: 'effectType', form: 'text' },
    load: () => import('./actions/pause-effects.ts'),
  },
  {
    name: 'effects resume',
    summary: 'send the effects of a paused type again',
    argument: { name: 'effectType', form: 'text' },
    load: () => import('./actions/resume-effects.ts'),
  },
  {
    name: 'webhooks replay',
    summary: 'process a stored callback once more',
    argument: { name: 'webhookEventId', form: 'uuid' },
    load: () => import('./actions/replay-webhook.ts'),
  },
  {
    name: 'discrepancies resolve',
    summary: 'close a discrepancy; the reason says what was found out',
    argument: { name: 'id', form: 'uuid' },
    load: () => import('./actions/resolve-discrepancy.ts'),
  },
  {
    name: 'discrepancies follow',
    summary: "choose between twins, by the provider's uuid, and apply the chosen one's state",
    argument: { name: 'uuid', form: 'uuid' },
    load: () => import('./actions/follow-object.ts'),
  },
  {
    name: 'discrepancies end',
    summary: 'end the payment or withdrawal that a discrepancy holds, in its true state',
    argument: { name: 'id', form: 'uuid' },
    options: {
      as: {
        placeholder: '<state>',
        summary: 'its true state; failed for withdrawals only, manual_review for payments only',
        isRequired: true,
        values: ['completed', 'failed', 'manual_review'],
      },
    },
    load: () => import('./actions/end-discrepancy.ts'),
  },
  {
    name: 'reconciliation run',
    summary: 'compare everything unfinished with the provider now, as every night',
    options: runOptions,
    load: () => import('./actions/run-reconciliation.ts'),
  },
  {
    name: 'recovery adopt',
    summary: 'create the missing rows of resources that `recovery list` shows',
    options: {
      id: { placeholder: '<id,...>', summary: "these resources, by the provider's id or by their handle" },
      all: { summary: 'every resource that can be adopted' },
      'known-ids': {
        placeholder: '<id,...>',
        summary: 'ids of ours, from logs or screens, to match them with',
      },
    },
    load: () => import('./actions/adopt-orphans.ts'),
  },
  {
    name: 'data-requests read',
    summary: 'the notes that the person wrote with a request',
    argument: { name: 'requestId', form: 'uuid' },
    load: () => import('./actions/read-data-request.ts'),
  },
  {
    name: 'data-requests export',
    summary: 'everything held on the person, for a request for access or portability',
    argument: { name: 'requestId', form: 'uuid' },
    options: { file: { placeholder: '<path>', summary: 'a new file that only you can read' } },
    load: () => import('./actions/export-data-request.ts'),
  },
  {
    name: 'data-requests close',
    summary: 'close a request; the reason says how it was answered',
    argument: { name: 'requestId', form: 'uuid' },
    load: () => import('./actions/close-data-request.ts'),
  },
  {
    name: 'erasure run',
    summary: 'erase users who closed their account six years ago, as every night',
    options: {
      ...runOptions,
      force: {
        placeholder: '<userId,...>',
        summary: 'also these users, without asking for their balances: the money was settled elsewhere',
      },
    },
    load: () => import('./actions/run-erasure.ts'),
  },
  {
    name: 'payloads purge',
    summary: 'remove the payloads of callbacks that are 90 days old, as every night',
    options: runOptions,
    load: () => import('./actions/purge-payloads.ts'),
  },
  {
    name: 'keys rotate',
    summary: 'wrap all data keys by the first master key, and reseal values of version 0.2.0',
    load: () => import('./actions/rotate-keys.ts'),
  },
  {
    name: 'webhook-secret rotate',
    summary: 'make a new secret and move all callbacks to it; once more after it is configured',
    options: {
      file: {
        placeholder: '<path>',
        summary: 'where the new secret is written, readable by its owner alone; it is never shown',
        isRequired: true,
      },
      'per-second': {
        placeholder: '<1-1000>',
        summary: 'how many callbacks are moved in a second',
        default: '20',
      },
      'force-new': { summary: 'give up a rotation whose file is lost, and begin a new one' },
    },
    load: () => import('./actions/rotate-webhook-secret.ts'),
  },
  {
    name: 'webhook-secret revoke',
    summary: 'refuse a former secret now, before its seven days are over',
    argument: { name: 'secretId', form: 'uuid' },
    load: () => import('./actions/revoke-webhook-secret.ts'),
  },
];

export const groups = [
  { title: 'Views:', commands: views, areActions: false },
  { title: 'Actions:', commands: actions, areActions: true },
] as const;

export const commands: readonly CommandSpec[] = [...views, ...actions];
