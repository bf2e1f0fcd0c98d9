// A log line: its code, a sentence and fields. A code never changes its meaning, so alarms and searches use codes and not sentences. A
// line without a code, or with a code that is not listed here, does not compile.

/** Writes log lines. */
export type Log = Record<LogLevel, Write> & { isLevelEnabled: (level: LogLevel) => boolean };

type LogLevel = 'debug' | 'info' | 'warn' | 'error';
type Write = (fields: { code: keyof typeof logCodes; [field: string]: unknown }, sentence: string) => void;

/** The code of every log line, with what it reports. */
export const logCodes = {
  'audit.chain_broken':
    'The nightly verification found rows of the audit record that were changed or removed.',
  'audit.head': 'The last row of the audit record after a nightly verification, with its hash.',
  'audit.misdated':
    'Rows of the audit record have a time that is more than five minutes from the clock of the database.',
  'audit.not_found_unchecked': 'Ids answered with 404 could not be checked for other users’ rows.',
  'audit.refusals_unwritten':
    'Refusals could not be written to the audit record; they are kept for the next attempt.',
  'bank_details.rolled_back':
    'The nightly verification found bank details whose version is lower than one in the audit record.',
  'batch.item_failed': 'One item of a nightly job failed; the next run repeats it.',
  'callback.applied': 'A callback of the provider was processed and applied.',
  'callback.ignored': 'A callback was processed and changes nothing here.',
  'callback.postponed': 'A callback could not be processed yet; it is retried.',
  'callback.unmatched': 'A callback could not be matched to a row, or could not be processed at all.',
  'console.redirected': 'A library wrote to the console.',
  'data_keys.unchecked': 'Cached data keys could not be checked for destroyed ones.',
  'database.deadlines_unknown': 'The start could not find out whether the database role has deadlines.',
  'database.erasure_unknown': 'The start could not read which database role may erase people.',
  'database.no_deadlines': 'A pooler is configured, and the database role has no deadlines of its own.',
  'database.none_may_erase':
    'People cannot be erased: the role of the erasure may not delete, or its connection leads to another database.',
  'database.ownership_unknown': 'The start could not find out whether the database role owns the schema.',
  'database.role_owns_schema':
    'The database role of the service owns the schema and could rewrite the audit record.',
  'database.service_may_erase':
    'The database role of the service may delete transitions and data keys, which only erasure should delete.',
  'database.unclosed': 'Connections to the database were not given back in time when the process stopped.',
  'effect.done': 'An effect succeeded.',
  'effect.outcome_unknown':
    'The provider gave no usable answer about an effect; the effect is looked up and retried.',
  'effect.refused': 'The provider refused an effect, definitively.',
  'effect.superseded': 'An effect was skipped: its row has already advanced.',
  'identity.keys_skipped':
    'Entries of the key set of an identity provider are not usable public keys; the other keys are used.',
  'identity.keys_unreachable': 'The keys of an identity provider could not be fetched.',
  'metrics.backlog_uncounted': 'The backlog could not be counted in the database for a scrape.',
  'metrics.unanswered': 'A scrape of the metrics, or of the readiness, could not be answered.',
  'nightly.page_failed':
    'A page of a nightly job failed; it runs again after a minute, then after twice as long each time.',
  'nightly.planned_ahead':
    'A list was planned up to a time that is later than now, so its last month is listed again.',
  'outbox.lease_lost': 'Another process took over a row that this one had leased: nothing was written.',
  'outbox.peer_dead': 'Another process wrote no heartbeat: its work was taken over.',
  'outbox.recurring_failed': 'Recurring work failed; it runs again at its next interval.',
  'outbox.recurring_overdue': 'Recurring work did not end in time and is no longer waited for.',
  'outbox.replaced':
    'Other processes considered this one dead: it released its work and continues under another id.',
  'outbox.unclaimed': 'Work that is due could not be claimed; it is tried again every second.',
  'outbox.unrecorded':
    'The outcome of work could not be recorded; the work runs again after a second, then after twice as long each time.',
  'overload.began': 'Accepted payments wait: users with more than ten unfinished ones are refused new ones.',
  'overload.ended': 'Accepted payments no longer wait: new payments of all users are accepted.',
  'overload.refuses_all': 'Accepted payments wait too long: new payments of all users are refused.',
  'payment.confirmed': 'A PIX payment was accepted.',
  'payment.repeated': 'A confirmation was repeated and answered with the payment that exists.',
  'payment.retried': 'A user requested the payout of a PIX payment again.',
  'provider.circuit_closed':
    'A call or a probe was answered: the circuit is closed, and its calls are sent again.',
  'provider.circuit_opened':
    'Calls of one operation of the provider (`all`: of every operation) failed for a while: only trials are sent.',
  'provider.circuit_unshown':
    'The row that shows open circuits to operators could not be written or removed.',
  'proxy.unlisted':
    'A peer that TRUSTED_PROXIES does not list forwards addresses, so all its clients count as one address. Written once.',
  'request.answered': 'A request was refused or slow; at level debug every request.',
  'request.failed': 'A request failed with a status of 500 or more.',
  'request.lines_omitted':
    'The number of anonymous requests that were refused with one code within a second and have no line of their own.',
  'request.malformed': 'A connection sent no valid HTTP request.',
  'request.unsent':
    'Requests were refused because a call to the provider was not sent. One line in ten seconds has their number since the former line.',
  'resource.poll_failed': 'A poll failed with an unexpected error. The next poll follows its schedule.',
  'resource.poll_unanswered': 'A poll of one resource of the provider had no usable answer.',
  'service.ready': 'The process is ready.',
  'service.stop_failed': 'The process ends without having stopped cleanly.',
  'service.stopped': 'The process has stopped cleanly.',
  'service.stopping': 'The process has been asked to stop.',
  'session.created': 'A user signed in.',
  'tracing.recovered': 'Spans are exported again.',
  'tracing.unexported':
    'Spans could not be exported and are dropped. The line is written once, until an export succeeds again.',
  'usdc_accounts.unprovisioned': 'Missing USDC accounts could not be requested.',
  'webhook_secret.rotation_unfinished': 'A rotation of the webhook secret waits for an operator’s next call.',
  'webhook_secret.unadopted': 'The configured webhook secret could not be made the current one.',
  'withdraw.accepted': 'A withdrawal was accepted.',
  'withdraw.repeated': 'A withdrawal was repeated and answered with the one that exists.',
} as const satisfies Record<`${string}.${string}`, string>;
