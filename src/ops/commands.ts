// The table of contents: every command of `npm run ops`, in the order of its help.
import type { PixPaymentStatus } from '../../openapi/generated/openapi.ts';
import type { Command } from './command.ts';

/** What a nightly job takes when it is run by hand. */
const runOption = {
  run: { type: 'string', placeholder: '<name>', summary: 'go on with a run that was broken off' },
} as const;

/** Written out, because reading them off the machine would load it for every command. */
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

export const groups: { title: string; commands: Command[] }[] = [
  {
    title: 'Look',
    commands: [
      {
        name: 'status',
        summary: 'the queue, paused kinds, open circuits, workers alive, the last nightly runs',
        load: () => import('./views/status.ts'),
      },
      {
        name: 'payments',
        summary: 'PIX payments that wait for somebody, with what the provider said',
        isList: true,
        options: {
          state: {
            type: 'string',
            placeholder: '<state,...>',
            summary: 'other states than these',
            default: 'manual_review,payout_failed',
            values: paymentStatuses,
          },
        },
        load: () => import('./views/payments.ts'),
      },
      {
        name: 'overdue',
        summary: 'what has been in its state for longer than that state should last, oldest first',
        isList: true,
        load: () => import('./views/overdue.ts'),
      },
      {
        name: 'show',
        summary: 'a payment, withdrawal, deposit or user, by any id: of a request or voucher, too',
        argument: { name: 'id', form: 'text' },
        load: () => import('./timeline/show.ts'),
      },
      {
        name: 'effects',
        summary: 'work that does not get on: tried three times, five minutes old, or exhausted',
        isList: true,
        load: () => import('./views/effects.ts'),
      },
      {
        name: 'webhooks',
        summary: 'callbacks of which nothing came, newest first',
        isList: true,
        options: {
          all: { type: 'boolean', summary: 'those of kinds that the service has no use for, too' },
          status: {
            type: 'string',
            placeholder: '<status,...>',
            summary: 'other statuses than these',
            default: 'unmatched,ignored',
            values: ['received', 'applied', 'ignored', 'unmatched'],
          },
        },
        load: () => import('./views/webhooks.ts'),
      },
      {
        name: 'discrepancies',
        summary: 'what the provider says and what we know do not agree, until resolved',
        isList: true,
        options: { all: { type: 'boolean', summary: 'the resolved ones, too' } },
        load: () => import('./views/discrepancies.ts'),
      },
      {
        name: 'accounts-closed-with-money',
        summary: 'users who closed their account and still have a balance or a failed payout',
        isList: true,
        load: () => import('./views/closed-with-money.ts'),
      },
      {
        name: 'data-requests',
        summary: "data subjects' requests that are open, the most urgent first",
        isList: true,
        options: { all: { type: 'boolean', summary: 'the closed ones, too' } },
        load: () => import('./views/data-requests.ts'),
      },
      {
        name: 'audit',
        summary: 'what operators changed, when and why, newest first',
        isList: true,
        options: {
          all: { type: 'boolean', summary: 'refused sign-ins, ids and secrets, reveals and erasures, too' },
        },
        load: () => import('./views/audit.ts'),
      },
      {
        name: 'audit verify',
        summary: 'prove that nothing in the audit record was changed or taken out',
        options: {
          head: {
            type: 'string',
            placeholder: '<row:hash>',
            summary: 'noted from an earlier call: shows that nothing was cut off or written anew',
          },
          from: { type: 'string', placeholder: '<row>', summary: 'go on behind a break', default: '1' },
        },
        load: () => import('./views/audit-verify.ts'),
      },
    ],
  },
  {
    title: 'Change',
    commands: [
      {
        name: 'retry-payout',
        summary: 'pay the recipient again after a failed payout, under the same origin id',
        argument: { name: 'paymentId', form: 'uuid' },
        changes: true,
        load: () => import('./actions/retry-payout.ts'),
      },
      {
        name: 'payments acknowledge',
        summary: 'a payment in manual_review alarms no more; the reason is who settles it, and how',
        argument: { name: 'paymentId', form: 'uuid' },
        changes: true,
        load: () => import('./actions/acknowledge-payment.ts'),
      },
      {
        name: 'replay',
        summary: 'process a stored callback once more',
        argument: { name: 'webhookEventId', form: 'uuid' },
        changes: true,
        load: () => import('./actions/replay.ts'),
      },
      {
        name: 'requeue',
        summary: 'try an effect at once, also one that is exhausted',
        argument: { name: 'effectId', form: 'uuid' },
        changes: true,
        load: () => import('./actions/requeue.ts'),
      },
      {
        name: 'pause',
        summary: 'hold a kind of effect back: ordered as ever, carried out when resumed',
        argument: { name: 'effectType', form: 'text' },
        changes: true,
        load: () => import('./actions/pause.ts'),
      },
      {
        name: 'resume',
        summary: 'let a kind of effect go on',
        argument: { name: 'effectType', form: 'text' },
        changes: true,
        load: () => import('./actions/resume.ts'),
      },
      {
        name: 'discrepancies resolve',
        summary: 'take one off the list; the reason is what was found out',
        argument: { name: 'id', form: 'uuid' },
        changes: true,
        load: () => import('./actions/resolve-discrepancy.ts'),
      },
      {
        name: 'discrepancies follow',
        summary: "choose between twins, by the provider's uuid, and apply what that one says now",
        argument: { name: 'uuid', form: 'uuid' },
        changes: true,
        load: () => import('./actions/follow-object.ts'),
      },
      {
        name: 'discrepancies end',
        summary: 'end the payment or withdrawal that one holds, as it has ended in truth',
        argument: { name: 'id', form: 'uuid' },
        options: {
          as: {
            type: 'string',
            placeholder: '<outcome>',
            summary: 'completed, failed (withdrawals) or manual_review (payments)',
            values: ['completed', 'failed', 'manual_review'],
          },
        },
        changes: true,
        load: () => import('./actions/end-discrepancy.ts'),
      },
      {
        name: 'reconcile',
        summary: 'compare everything unfinished with the provider now, as every night',
        options: runOption,
        changes: true,
        load: () => import('./actions/reconcile.ts'),
      },
      {
        name: 'data-requests read',
        summary: 'what the person wrote with a request',
        argument: { name: 'requestId', form: 'uuid' },
        changes: true,
        load: () => import('./actions/read-data-request.ts'),
      },
      {
        name: 'data-requests export',
        summary: 'everything held on the person, for a request for access or portability',
        argument: { name: 'requestId', form: 'uuid' },
        options: {
          file: { type: 'string', placeholder: '<path>', summary: 'a new file that only you can read' },
        },
        changes: true,
        load: () => import('./actions/export-data-request.ts'),
      },
      {
        name: 'data-requests close',
        summary: 'take a request off the list; the reason is how it was answered',
        argument: { name: 'requestId', form: 'uuid' },
        changes: true,
        load: () => import('./actions/close-data-request.ts'),
      },
      {
        name: 'erase-due',
        summary: 'erase those who closed their account six years ago, as every night',
        options: {
          ...runOption,
          settled: {
            type: 'string',
            placeholder: '<userId,...>',
            summary: 'these too, though money may be left: it was settled elsewhere',
          },
        },
        changes: true,
        load: () => import('./actions/erase-due.ts'),
      },
      {
        name: 'purge-payloads',
        summary: 'remove the payloads of callbacks that are 90 days old, as every night',
        options: runOption,
        changes: true,
        load: () => import('./actions/purge-payloads.ts'),
      },
      {
        name: 'adopt',
        summary: 'after an older backup: what the provider has without a row here, and taking it in',
        isList: true,
        options: {
          take: { type: 'string', placeholder: '<id,...>', summary: "take these in, by the provider's id" },
          all: { type: 'boolean', summary: 'take in whatever can be' },
          ids: {
            type: 'string',
            placeholder: '<id,...>',
            summary: 'lost ids known from elsewhere, to be given back',
          },
        },
        changes: { under: ['take', 'all'] },
        load: () => import('./actions/adopt.ts'),
      },
    ],
  },
  {
    title: 'Keys and secrets',
    commands: [
      {
        name: 'keys status',
        summary: 'how many data keys each master key wraps',
        load: () => import('./views/keys.ts'),
      },
      {
        name: 'keys rotate',
        summary: 'wrap all data keys by the first master key, while the services run',
        changes: true,
        load: () => import('./actions/rotate-keys.ts'),
      },
      {
        name: 'webhook-secret status',
        summary: 'the secrets that callbacks are accepted under, and how many come under each',
        load: () => import('./views/webhook-secrets.ts'),
      },
      {
        name: 'webhook-secret rotate',
        summary: 'make a new secret and move all callbacks to it; once more after it is configured',
        options: {
          file: {
            type: 'string',
            placeholder: '<path>',
            summary: 'where the new secret is written, for its owner alone; it is never shown',
          },
          'per-second': {
            type: 'string',
            placeholder: '<1-1000>',
            summary: 'how many callbacks are moved in a second',
            default: '20',
          },
          anew: { type: 'boolean', summary: 'give up a rotation whose file is lost' },
        },
        changes: true,
        load: () => import('./actions/rotate-webhook-secret.ts'),
      },
      {
        name: 'webhook-secret revoke',
        summary: 'refuse a former secret at once, before its seven days are over',
        argument: { name: 'secretId', form: 'uuid' },
        changes: true,
        load: () => import('./actions/revoke-webhook-secret.ts'),
      },
    ],
  },
];

export const commands: Command[] = groups.flatMap((group) => group.commands);
