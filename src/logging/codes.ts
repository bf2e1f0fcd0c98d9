// The code of every log line. A code never changes its meaning, so alarms and searches go by codes and not by sentences;
// a line without a code, or with one that is not listed here, does not compile.

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
  'callback.postponed': 'A callback could not be processed yet; it is tried again.',
  'callback.unmatched': 'A callback names no resource of ours.',
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
  'effect.done': 'The provider carried out an effect.',
  'effect.outcome_unknown':
    'The provider gave no usable answer about an effect; it is looked up and repeated.',
  'effect.refused': 'The provider refused an effect, definitively.',
  'effect.superseded': 'An effect was not carried out: its row has moved on.',
  'identity.keys_unreachable': 'The keys of an identity provider could not be fetched.',
  'metrics.backlog_uncounted': 'The backlog could not be counted in the database for a scrape.',
  'metrics.unanswered': 'A scrape of the metrics, or of the readiness, could not be answered.',
  'nightly.page_failed':
    'A page of a nightly job failed; it runs again after a minute, then after twice as long each time.',
  'outbox.lease_lost': 'Another process took over a row that this one had leased: nothing was written.',
  'outbox.peer_dead': 'Another process wrote no heartbeat: its work was taken over.',
  'outbox.recurring_failed': 'Recurring work failed; it runs again at its next interval.',
  'outbox.recurring_overdue': 'Recurring work did not end in time and is no longer waited for.',
  'outbox.replaced':
    'Other processes took this one for dead: it gave up its work and goes on under another id.',
  'outbox.unclaimed': 'Work that is due could not be claimed; it is tried again every second.',
  'outbox.unrecorded':
    'The outcome of work could not be recorded; the work runs again after a second, then after twice as long each time.',
  'overload.began': 'Accepted payments wait: people with more than ten unfinished ones are refused more.',
  'overload.ended': 'Accepted payments no longer wait: new ones of everybody are accepted.',
  'overload.refuses_all': 'Accepted payments wait too long: new ones of everybody are refused.',
  'payment.confirmed': 'A PIX payment was accepted.',
  'payment.repeated': 'A confirmation was repeated and answered with the payment that exists.',
  'payment.retried': 'A user asked for the payout of a PIX payment again.',
  'provider.circuit_closed': 'A probe was answered: the circuit is closed and calls are sent again.',
  'provider.circuit_opened':
    'Calls to the provider failed for a while: none is sent until a probe is answered.',
  'provider.circuit_unshown':
    'The row that shows an open circuit to operators could not be written or removed.',
  'request.answered': 'A request was refused or slow; at level debug every request.',
  'request.failed': 'A request failed with a status of 500 or more.',
  'request.lines_omitted':
    'More anonymous requests were refused with one code within a second than have a line each: the number of the others.',
  'request.malformed': 'A connection brought no valid HTTP request.',
  'resource.poll_failed': 'A poll failed with an unexpected error. The next poll follows its schedule.',
  'resource.poll_unanswered': 'A poll of one resource of the provider had no usable answer.',
  'service.ready': 'The process is ready.',
  'service.stop_failed': 'The process ends without having stopped cleanly.',
  'service.stopped': 'The process has stopped cleanly.',
  'service.stopping': 'The process has been asked to stop.',
  'session.created': 'A user signed in.',
  'usdc_accounts.unprovisioned': 'Missing USDC accounts could not be ordered.',
  'webhook_secret.rotation_unfinished': 'A rotation of the webhook secret waits for an operator’s next call.',
  'webhook_secret.unadopted': 'The configured webhook secret could not be made the current one.',
  'withdraw.accepted': 'A withdrawal was accepted.',
  'withdraw.repeated': 'A withdrawal was repeated and answered with the one that exists.',
} as const satisfies Record<`${string}.${string}`, string>;

export type LogCode = keyof typeof logCodes;
