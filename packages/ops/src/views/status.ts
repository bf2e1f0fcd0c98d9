// Prints the state of the service on one screen: workers, outbox, pauses, circuits, rows that wait, nightly runs.
import { namesOf } from '../../../../src/jobs/reconciliation/unfinished.ts';
import type { CommandCall } from '../command.ts';
import { age, count, moment, oneLine, span } from '../format.ts';
import type { Output } from '../output.ts';
import { table } from '../table.ts';
import { readStatus, type Status } from './read-status.ts';

export async function run({ app, out }: CommandCall): Promise<void> {
  const status = await readStatus(app);
  if (out.isJson) return out.json(status);
  const { host, pathname } = new URL(app.config.databaseUrl);
  out.print(
    `Ponte ${status.version}, database ${host}${pathname}, provider ${app.config.provider.baseUrl}, at ${moment(out.now)} UTC`,
  );
  for (const [title, lines] of sections(status, out)) {
    out.print(`\n${out.style.bold(title)}`);
    for (const line of lines) out.print(`  ${line}`);
  }
}

const sections = (status: Status, out: Output): [string, string[]][] => [
  ['Workers', workerLines(status, out)],
  ['Outbox', outboxLines(status, out)],
  ['Paused effects', pauseLines(status, out)],
  ['Open circuits', circuitLines(status, out)],
  ['Unfinished', ageLines(status, out)],
  ['Waiting for a person', attentionLines(status, out)],
  ['Last nightly runs', runLines(status, out)],
];

const workerLines = ({ workers }: Status, { style, now }: Output): string[] =>
  workers.length === 0
    ? [style.red('none alive: no effect is carried out')]
    : [
        `${workers.length} alive: ${workers.map(({ name, since }) => `${name}, up ${age(since, now)}`).join('; ')}`,
      ];

function outboxLines({ outbox }: Status, { style, now }: Output): string[] {
  const present = outbox.filter(({ rows }) => rows > 0);
  if (present.length === 0) return ['empty'];
  return table(
    [
      { title: 'kind', of: ({ kind }) => kind },
      { title: 'rows', of: ({ rows }) => String(rows), alignRight: true },
      { title: 'due', of: ({ due }) => String(due), alignRight: true },
      { title: 'oldest due', of: ({ oldestDueAt }) => age(oldestDueAt, now), alignRight: true },
      { title: 'later', of: ({ later }) => String(later), alignRight: true },
      { title: 'running', of: ({ running }) => String(running), alignRight: true },
    ],
    present,
    style,
  );
}

const pauseLines = ({ pauses }: Status, { style, now }: Output): string[] =>
  pauses.length === 0
    ? ['none']
    : pauses.map(({ type, since, operator, reason, waiting }) =>
        style.yellow(
          oneLine(
            `${type}, ${age(since, now)}, by ${operator}: ${reason} (${count(waiting, 'effect')} waiting)`,
          ),
        ),
      );

const circuitLines = ({ circuits }: Status, { style, now }: Output): string[] =>
  circuits.length === 0
    ? ['none']
    : circuits.map(({ process, openedAt, seenAt, reason }) =>
        style.red(oneLine(`${process}, ${age(openedAt, now)}, last seen ${age(seenAt, now)}: ${reason}`)),
      );

function ageLines({ ages }: Status, { style, now }: Output): string[] {
  const present = ages.filter(({ oldestSince }) => oldestSince !== null);
  if (present.length === 0) return ['nothing'];
  return table(
    [
      {
        title: 'lifecycle',
        of: ({ lifecycle, rail }) => [rail, namesOf[lifecycle]].filter(Boolean).join(' '),
      },
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
    present,
    style,
  );
}

const limitText = (seconds: number | null): string =>
  seconds === null ? 'none' : span(seconds * 1_000) || '0 s';

function attentionLines({ attention }: Status, { style }: Output): string[] {
  const waiting = attention.filter(({ number }) => number > 0);
  if (waiting.length === 0) return ['nothing'];
  return table(
    [
      { title: 'how many', of: ({ number }) => String(number), alignRight: true },
      { title: 'what', of: ({ what }) => what },
      { title: 'see', of: ({ see }) => see },
    ],
    waiting,
    style,
  );
}

function runLines({ runs }: Status, { style, now }: Output): string[] {
  if (runs.length === 0) return ['none yet'];
  return runs.map(({ job, run: runName, startedAt, finishedAt, updatedAt, counts }) => {
    const progress = finishedAt
      ? style.green(`finished ${age(finishedAt, now)}`)
      : style.yellow(`running for ${age(startedAt, now)}, last page ${age(updatedAt, now)} ago`);
    const done = Object.entries(counts).map(([what, number]) => `${number} ${what}`);
    return `${job} ${runName}  ${progress}  ${oneLine(done.join(', '))}`;
  });
}
