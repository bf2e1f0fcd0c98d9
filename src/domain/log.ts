// A log line: its code, a sentence and fields. A code never changes its meaning, so alarms and searches use codes and not sentences. A
// line without a code, or with a code that is not listed here, does not compile.

export type Log = Record<LogLevel, Write> & { isLevelEnabled: (level: LogLevel) => boolean };

type LogLevel = 'debug' | 'info' | 'warn' | 'error';
type Write = (fields: { code: keyof typeof logCodes; [field: string]: unknown }, sentence: string) => void;

/** The code of every log line, with what it reports. */
export const logCodes = {
  'audit.chain_broken': 'The nightly verification found changed or missing rows in the audit record.',
  'audit.head':
    'The nightly verification succeeded. The line has the last row of the audit record and its hash.',
  'audit.misdated':
    'Rows of the audit record differ from the clock of the database by more than five minutes.',
  'audit.not_found_unchecked':
    'The service could not check whether ids that got a 404 belong to other users.',
  'audit.refusals_unwritten':
    'Refusals could not be written to the audit record. They are kept for the next attempt.',
  'bank_details.rolled_back':
    'The nightly verification found bank details with an earlier version than the audit record.',
  'batch.item_failed': 'An item of a nightly job failed. The next run repeats it.',
  'callback.applied': 'A callback of the provider was processed and applied.',
  'callback.ignored': 'A callback was processed and changed no row.',
  'callback.postponed': 'A callback could not be processed yet. It is retried.',
  'callback.unmatched': 'A callback could not be matched to a row, or could not be processed at all.',
  'console.redirected': 'A library wrote to the console.',
  'data_keys.unchecked': 'The service could not check whether cached data keys have been destroyed.',
  'database.compared':
    'The lists of the provider were compared after the database was restored. The line has the number of people for whom something is missing.',
  'database.complete': 'Nothing is missing from the restored database any more.',
  'database.deadlines_unknown':
    'At the start, the service could not read the deadlines of its database role.',
  'database.erasure_unknown': 'At the start, the service could not read which database role may erase users.',
  'database.no_deadlines': 'A pooler is configured, and the database role has no deadlines.',
  'database.none_may_erase':
    'Users cannot be erased: the erasure role may not delete, or its connection leads to another database.',
  'database.ownership_unknown':
    'At the start, the service could not read whether its database role owns the schema.',
  'database.restored': 'The database was restored or promoted, and may lack its latest rows.',
  'database.role_owns_schema':
    'The database role of the service owns the schema and could rewrite the audit record.',
  'database.service_may_erase':
    'The database role of the service may delete transitions and data keys, which only erasure should delete.',
  'database.unclosed': 'Connections to the database were not released in time when the process stopped.',
  'effect.done': 'An effect succeeded.',
  'effect.outcome_unknown':
    'The provider gave no usable answer to an effect. The effect is looked up and retried.',
  'effect.refused': 'The provider refused an effect, definitively.',
  'effect.superseded': 'An effect was skipped because its row has already advanced.',
  'identity.keys_skipped':
    'The key set of an identity provider has entries that are not usable public keys. The other keys are used.',
  'identity.keys_unreachable': 'The keys of an identity provider could not be fetched.',
  'metrics.backlog_uncounted': 'A scrape has no backlog because the database could not be queried.',
  'metrics.unanswered': 'A request for metrics or readiness could not be answered.',
  'nightly.page_failed':
    'A page of a nightly job failed. It is retried after a minute, and the wait doubles each time.',
  'nightly.planned_ahead': 'A list was planned beyond the present time, so its last month is listed again.',
  'outbox.lease_lost': 'Another process took over a row that this process had leased. Nothing was written.',
  'outbox.peer_dead': 'Another process wrote no heartbeat. Its work was taken over.',
  'outbox.recurring_failed': 'Recurring work failed. It runs again at its next interval.',
  'outbox.recurring_overdue': 'Recurring work did not end in time. The process no longer waits for it.',
  'outbox.replaced':
    'Other processes considered this process dead. It released its work and continues under another id.',
  'outbox.unclaimed': 'Due work could not be claimed. The claim is retried every second.',
  'outbox.unrecorded':
    'The outcome of work could not be recorded. The work is retried after a second, and the wait doubles each time.',
  'overload.began':
    'Accepted payments wait. New payments of users with more than ten unfinished ones are refused.',
  'overload.ended': 'Accepted payments no longer wait. New payments of all users are accepted.',
  'overload.refuses_all': 'Accepted payments wait too long. New payments of all users are refused.',
  'payment.confirmed': 'A PIX payment was accepted.',
  'payment.contested': 'A user contested a completed PIX payment.',
  'payment.repeated': 'A confirmation was repeated and returned the existing payment.',
  'payment.retried': 'A user requested the payout of a PIX payment again.',
  'provider.circuit_closed':
    'A call or a probe was answered. The circuit is closed, and calls are sent again.',
  'provider.circuit_opened':
    'Calls of an operation of the provider (`all`: every operation) kept failing. Only trial calls are sent.',
  'provider.circuit_unshown':
    'The row that shows open circuits to operators could not be written or removed.',
  'proxy.unlisted':
    'A peer that TRUSTED_PROXIES does not list forwards addresses, so all its clients count as one address. The line is written once.',
  'request.answered': 'A request was refused or slow. At level debug, every request has this line.',
  'request.failed': 'A request failed with a status of 500 or more.',
  'request.lines_omitted':
    'The number of anonymous requests that were refused with one code within a minute and have no line of their own.',
  'request.malformed': 'A connection sent no valid HTTP request.',
  'request.unsent':
    'Requests were refused because a call to the provider was not sent. A line is written at most every ten seconds, with the number of requests since the last line.',
  'resource.poll_failed': 'A poll failed with an unexpected error. The next poll follows its schedule.',
  'resource.poll_unanswered': 'A poll of a resource of the provider got no usable answer.',
  'service.ready': 'The process is ready.',
  'service.stop_failed': 'The process could not stop cleanly and ends.',
  'service.stopped': 'The process has stopped cleanly.',
  'service.stopping': 'The process received a signal to stop.',
  'session.created': 'A user signed in.',
  'tracing.recovered': 'Spans are exported again.',
  'tracing.unexported':
    'Spans could not be exported and are dropped. The line is written once, until an export succeeds again.',
  'usdc_accounts.unprovisioned': 'Missing USDC accounts could not be requested.',
  'webhook_secret.rotation_unfinished': 'A rotation of the webhook secret waits for an operator’s next call.',
  'webhook_secret.unadopted': 'The configured webhook secret could not be recorded as the current one.',
  'withdraw.accepted': 'A withdrawal was accepted.',
  'withdraw.repeated': 'A withdrawal was repeated and returned the existing one.',
} as const satisfies Record<`${string}.${string}`, string>;
