// Prints the state of the service on one screen: workers, outbox, pauses, circuits, alarms, rows that wait, nightly runs.

import { type JobOutcome, jobOutcomes } from '../../src/jobs/outcomes.ts';
import { namesOf } from '../../src/jobs/reconciliation/unfinished.ts';
import { type Age, agesOf } from '../../src/lifecycle/ages.ts';
import { countAttention } from '../../src/lifecycle/attention.ts';
import { DatabaseTime } from '../../src/platform/database/database-time.ts';
import { buildOf } from '../../src/start/version.ts';
import { countOutbox, SHOWN_AFTER_FAILURES } from '../../src/tables/backlog.ts';
import { readHistory, recoveryIn } from '../../src/tables/database-histories/recovery.ts';
import { countOpenOfKind } from '../../src/tables/discrepancies/statements.ts';
import {
  countRotationsAndBreaks,
  listLastRuns,
  listLivingWorkers,
  listOpenCircuits,
  listPauses,
} from '../../src/tables/ops/status.ts';
import type { Db } from '../../src/tables/orm.ts';
import { readAlarms } from '../alarms.ts';
import type { CommandCall, CommandSpec, SupportApp } from '../command.ts';
import { age, count, moment, oneLine, span } from '../format.ts';
import type { Output } from '../output.ts';
import { printSection, table } from '../table.ts';

/** As many characters of a commit as git shows. */
const SHORT = 12;

export const statusCommand: CommandSpec = {
  name: 'status',
  summary: 'workers, outbox, pauses, circuits, alarms, what waits for a person, nights',
  isForSupport: true,
  run,
  withoutDatabase,
};

async function run({ app, out }: CommandCall<SupportApp>): Promise<void> {
  const status = await readStatus(app);
  if (out.isJson) return out.json(status);
  printHead(app.config, out);
  const recovery = recoveryLines(status, out);
  if (recovery.length > 0) printSection(out, 'Recovery', recovery);
  printSection(out, 'Workers', workerLines(status, out), out.style.red('none alive: no effect runs'));
  printSection(out, 'Outbox', outboxLines(status, out), 'empty');
  printSection(out, 'Paused effects', pauseLines(status, out));
  printSection(out, 'Open circuits', circuitLines(status, out));
  printSection(out, 'Unfinished', ageLines(status, out), 'nothing');
  printSection(out, 'Firing alarms', alarmLines(status, out), 'none');
  printSection(out, 'Waiting for a person', attentionLines(status, out), 'nothing');
  printSection(out, 'Last nightly runs', runLines(status, out), 'none yet');
}

/** The alarms are not read from the database. During an outage of the database they say most. */
async function withoutDatabase({
  config,
  fault,
  out,
}: {
  config: SupportApp['config'];
  fault: string;
  out: Output;
}): Promise<void> {
  const alarms = await readAlarms(config.prometheusUrl, { isDatabaseRead: false });
  if (out.isJson) return out.json({ ...buildOf(config), fault, alarms });
  printHead(config, out);
  printSection(out, 'Not seen', [
    out.style.red(
      `${fault} Workers, outbox, pauses, circuits, unfinished rows, nights and what waits for a person are unknown.`,
    ),
  ]);
  printSection(out, 'Firing alarms', alarmLines({ alarms }, out), 'none');
}

function printHead(config: SupportApp['config'], { print, now }: Output): void {
  const { version, commit } = buildOf(config);
  const { host, pathname } = new URL(config.databaseUrl);
  const build = [version, commit?.slice(0, SHORT)].filter(Boolean).join(' ');
  const provider = config.provider === null ? '' : `, provider ${config.provider.baseUrl}`;
  print(`Ponte ${build}, database ${host}${pathname}${provider}, at ${moment(now)} UTC`);
}

/** Says who is promised no money since the database was restored. Empty if nothing is missing. */
function recoveryLines({ recovery }: Status, { now, style }: Output): string[] {
  if (recovery === null) return [];
  const { beganAt, isCompared, missing } = recovery;
  const who = isCompared
    ? `${missing} ${missing === 1 ? 'person' : 'people'} for whom something is missing: see recovery list`
    : 'everybody, until the lists of the provider were compared';
  const since = beganAt === null ? 'just now' : `${age(beganAt, now)} ago`;
  return [style.red(`The database was restored or promoted ${since}. No money is promised to ${who}.`)];
}

function workerLines({ workers }: Status, { now }: Output): string[] {
  const names = workers.map(({ name, since }) => `${name}, up ${age(since, now)}`);
  return names.length === 0 ? [] : [`${names.length} alive: ${names.join('; ')}`];
}

const outboxLines = ({ outbox }: Status, { style, now }: Output): string[] =>
  table(
    style,
    outbox.filter(({ rows }) => rows > 0),
    [
      { title: 'kind', of: ({ kind }) => kind },
      { title: 'rows', of: ({ rows }) => String(rows), alignRight: true },
      { title: 'due', of: ({ due }) => String(due), alignRight: true },
      { title: 'oldest due', of: ({ oldestDueAt }) => age(oldestDueAt, now), alignRight: true },
      { title: 'later', of: ({ later }) => String(later), alignRight: true },
      { title: 'running', of: ({ running }) => String(running), alignRight: true },
    ],
  );

const pauseLines = ({ pauses }: Status, { style, now }: Output): string[] =>
  pauses.map(({ type, since, operator, reason, waiting }) =>
    style.yellow(
      oneLine(`${type}, ${age(since, now)}, by ${operator}: ${reason} (${count(waiting, 'effect')} waiting)`),
    ),
  );

const circuitLines = ({ circuits }: Status, { style, now }: Output): string[] =>
  circuits.map(({ process, openedAt, seenAt, reason }) =>
    style.red(oneLine(`${process}, ${age(openedAt, now)}, last seen ${age(seenAt, now)}: ${reason}`)),
  );

const ageLines = ({ ages }: Status, { style, now }: Output): string[] =>
  table(
    style,
    ages.filter(({ oldestSince }) => oldestSince !== null),
    [
      { title: 'lifecycle', of: (row) => [row.rail, namesOf[row.lifecycle]].filter(Boolean).join(' ') },
      { title: 'state', of: ({ state }) => state },
      { title: 'oldest', of: ({ oldestSince }) => age(oldestSince, now), alignRight: true },
      { title: 'limit', of: ({ limitSeconds }) => limitText(limitSeconds), alignRight: true },
      {
        title: 'past limit',
        of: ({ pastLimit }) => String(pastLimit || ''),
        alignRight: true,
        paint: () => style.red,
      },
    ],
  );

const alarmLines = (
  { alarms: { firing, faults } }: Pick<Status, 'alarms'>,
  { style, now }: Output,
): string[] => [
  ...table(style, firing, [
    { title: 'since', of: ({ since }) => age(since, now), alignRight: true },
    {
      title: 'severity',
      of: ({ severity }) => severity,
      paint: ({ severity }) => (severity === 'page' ? style.red : style.yellow),
    },
    { title: 'alarm', of: ({ name }) => name },
    { title: 'what', of: ({ summary }) => summary },
    { title: 'see', of: ({ runbook }) => runbook },
  ]),
  ...faults.map((fault) => style.yellow(oneLine(fault))),
];

const attentionLines = ({ attention }: Status, { style }: Output): string[] =>
  table(
    style,
    attention.filter(({ number }) => number > 0),
    [
      { title: 'how many', of: ({ number }) => String(number), alignRight: true },
      { title: 'what', of: ({ what }) => what },
      { title: 'see', of: ({ see }) => see },
    ],
  );

function runLines({ runs }: Status, { style, now }: Output): string[] {
  return runs.map(({ job, run: runName, startedAt, finishedAt, updatedAt, counts }) => {
    const progress = finishedAt
      ? style.green(`finished ${age(finishedAt, now)}`)
      : style.yellow(`running for ${age(startedAt, now)}, last page ${age(updatedAt, now)} ago`);
    const done = Object.entries(counts).map(([what, number]) => `${number} ${what}`);
    return `${job} ${runName}  ${progress}  ${oneLine(done.join(', '))}`;
  });
}

const limitText = (seconds: number | null): string =>
  seconds === null ? 'none' : span(seconds * 1_000) || '0 s';

type Status = Awaited<ReturnType<typeof readStatus>>;

async function readStatus({ db, clock, config }: SupportApp) {
  const asking = readAlarms(config.prometheusUrl);
  const now = await DatabaseTime.read(db);
  const [recovery, workers, outbox, pauses, circuits, ages, waiting, runs, nights] = await Promise.all([
    readRecovery(db),
    listLivingWorkers(db, {}),
    countOutbox(db, { now }),
    listPauses(db, {}),
    listOpenCircuits(db, {}),
    agesOf(db, clock.now()),
    waitingForPeople(db),
    listLastRuns(db, {}),
    jobOutcomes(db, clock.now()),
  ]);
  const attention: AttentionLine[] = [...ages.flatMap(pastLimitOf), ...waiting, ...nights.flatMap(missedBy)];
  return {
    ...buildOf(config),
    recovery,
    workers,
    outbox,
    pauses,
    circuits,
    ages,
    alarms: await asking,
    attention,
    runs,
  };
}

async function readRecovery(db: Db) {
  const recovery = recoveryIn(await readHistory(db));
  if (recovery === null) return null;
  const missing = await countOpenOfKind(db, { kind: 'not_ordered' });
  const { history, isCompared } = recovery;
  return { beganAt: history?.beganAt ?? null, isCompared, missing: missing?.users ?? 0 };
}

type AttentionLine = { number: number; what: string; see: string };

const missedBy = ({ job, unchecked, isOverdue }: JobOutcome): AttentionLine[] => [
  { number: Number(isOverdue), what: `nightly job without a whole run: ${job}`, see: 'status' },
  { number: unchecked, what: `items left unchecked by ${job}`, see: 'status' },
];

/** Counts the rows that have been in a state for longer than its limit. If the limit is 0, every row in the state counts. */
function pastLimitOf({ lifecycle, state, rail, limitSeconds, pastLimit: number }: Age): AttentionLine[] {
  if (limitSeconds === null) return [];
  const what = [rail, namesOf[lifecycle], 'in', state].filter(Boolean).join(' ');
  return limitSeconds === 0
    ? [{ number, what, see: `payments --state ${state}` }]
    : [{ number, what: `${what} for longer than ${span(limitSeconds * 1_000)}`, see: 'overdue' }];
}

async function waitingForPeople(db: Db): Promise<AttentionLine[]> {
  const [counts, found] = await Promise.all([countAttention(db), countRotationsAndBreaks(db, {})]);
  return [
    { number: counts.payoutFailed, what: 'payments in payout_failed', see: 'payments --state payout_failed' },
    { number: counts.partialReturns, what: 'partial returns to convert', see: 'partial-returns' },
    { number: counts.exhaustedEffects, what: 'effects exhausted', see: 'effects' },
    {
      number: counts.failingWork,
      what: `pieces of work that have failed ${SHOWN_AFTER_FAILURES} times in a row or more`,
      see: 'failures',
    },
    { number: counts.unmatchedCallbacks, what: 'callbacks unmatched', see: 'webhooks --status unmatched' },
    { number: counts.openDiscrepancies, what: 'discrepancies open', see: 'discrepancies' },
    { number: counts.openDataRequests, what: 'data requests open', see: 'data-requests' },
    {
      number: counts.dataRequestsDueSoon,
      what: 'data requests to be answered within 7 days, or late',
      see: 'data-requests',
    },
    {
      number: found?.rotations ?? 0,
      what: 'rotations of the webhook secret unfinished',
      see: 'webhook-secret status',
    },
    { number: found?.breaks ?? 0, what: 'breaks in the audit record', see: 'audit verify' },
  ];
}
