// A normal week: what the real service answers on usual and quiet minutes, in a deployment, while the provider or the database is away for
// some seconds, and at night, put together to a week (and to the week before, which some rules compare with). The shipped rules are
// evaluated over it.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startPrometheus } from '../../harness/monitoring/prometheus.ts';
import { createPerson, openAccount, pay, signIn } from '../../harness/people/person.ts';
import type { AtEnd } from '../run-in-folder.ts';
import { type Environment, startEnvironment } from './environment.ts';
import { fail, payTo, repeat } from './incidents/incident.ts';
import { type Page, readPage } from './page.ts';
import { PROMTOOL, run, writeBlock } from './past.ts';
import { type AlertRule, alertRules, RULES } from './rules.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;
const SCRAPED_EVERY_MS = 10_000;
/** How often the past has a page outside of an event. Series that do not change have half as many. */
const STEP_SECONDS = 2 * MINUTE;
const EVALUATED_EVERY_SECONDS = MINUTE;
/** Alarms that begin within this time are one message of Alertmanager. */
const ONE_MESSAGE_SECONDS = 10 * MINUTE;
const MAX_PAGES = 2;

type Kind = 'quiet' | 'usual' | 'deployment' | 'provider blip' | 'database blip' | 'night';
/** The pages of both processes, one after the other. */
type Recording = Page[][];

/** The events of a week, by day and hour. */
const EVENTS: [day: number, hour: number, kind: Kind][] = [
  [0, 10, 'deployment'],
  [0, 16, 'provider blip'],
  [1, 11, 'provider blip'],
  [2, 10, 'deployment'],
  [2, 20, 'provider blip'],
  [3, 5, 'database blip'],
  [3, 15, 'provider blip'],
  [4, 10, 'deployment'],
  [5, 13, 'provider blip'],
  ...Array.from({ length: 7 }, (_, day): [number, number, Kind] => [day, 3, 'night']),
];
const isUsualHour = (hour: number): boolean => hour >= 7 && hour < 23;

export type Week = { text: string; violations: string[] };

export async function drillWeek(folder: string, atEnd: AtEnd): Promise<Week> {
  const environment = await startEnvironment(join(folder, 'service'), atEnd);
  const recordings = await recordAll(environment);
  const data = join(folder, 'prometheus');
  await mkdir(data);
  const until = Math.floor(Date.now() / DAY / 1_000) * DAY;
  console.log('week: writing the blocks');
  await writeBlock(data, samplesOf(recordings, until));
  await record(data, { from: until - WEEK, until, stepSeconds: EVALUATED_EVERY_SECONDS });
  console.log('week: evaluating the rules');
  const prometheus = await startPrometheus({ metricsPorts: [], dataFolder: data, evaluates: false });
  atEnd(prometheus.stop);
  const rang: { rule: AlertRule; at: number }[] = [];
  for (const rule of alertRules) {
    const span = { from: until - WEEK, until, stepSeconds: EVALUATED_EVERY_SECONDS };
    for (const { values } of await prometheus.range(rule.expr, span))
      rang.push(...firings(values, rule.forSeconds).map((at) => ({ rule, at })));
  }
  const alarms = rang.filter(({ rule }) => rule.labels['severity'] !== 'none');
  const pages = alarms.filter(({ rule }) => rule.labels['severity'] === 'page');
  const messages = pages
    .map(({ at }) => at)
    .toSorted((a, b) => a - b)
    .filter((at, index, all) => at - (all[index - 1] ?? 0) > ONE_MESSAGE_SECONDS).length;
  const told = Map.groupBy(alarms, ({ rule }) => `\`${rule.name}\` (${rule.labels['severity']})`);
  const names = [...told].map(([name, { length }]) => `${name} ${length} times`);
  const counts = EVENTS.map(([, , kind]) => kind).filter((kind) => kind !== 'night').length;
  return {
    text: `A normal week, put together from pages of the service (usual days with payments of which 1 in 30 fails, quiet nights, ${counts} deployments and short outages of the provider and the database): ${messages} pages. Rang: ${names.join(', ') || 'nothing'}.`,
    violations: messages > MAX_PAGES ? [`a normal week has ${messages} pages: ${names.join(', ')}`] : [],
  };
}

/** Computes the recorded series. */
async function record(
  folder: string,
  { from, until, stepSeconds }: { from: number; until: number; stepSeconds: number },
): Promise<void> {
  const prometheus = await startPrometheus({ metricsPorts: [], dataFolder: folder, evaluates: false });
  await run(PROMTOOL, [
    'tsdb',
    'create-blocks-from',
    'rules',
    `--start=${from}`,
    `--end=${until}`,
    `--url=${prometheus.url}`,
    `--eval-interval=${stepSeconds}s`,
    `--output-dir=${folder}`,
    RULES,
  ]);
  await prometheus.stop();
}

/** @returns when the alert began to fire, for each time that its condition held long enough. */
function firings(values: [at: number, value: string][], duration: number): number[] {
  const begins: number[] = [];
  let since = 0;
  let isTold = false;
  for (const [index, [at]] of values.entries()) {
    if (index === 0 || at - (values[index - 1]?.[0] ?? 0) > EVALUATED_EVERY_SECONDS)
      [since, isTold] = [at, false];
    if (isTold || at - since < duration) continue;
    begins.push(at);
    isTold = true;
  }
  return begins;
}

async function recordAll(environment: Environment): Promise<Record<Kind, Recording>> {
  const { processes, databases, ops } = environment;
  const watch = async (kind: Kind, seconds: number, event?: () => Promise<unknown>): Promise<Recording> => {
    console.log(`week: ${kind}`);
    const recording: Recording = [await readPages(environment)];
    const happening = event?.();
    const until = Date.now() + seconds * 1_000;
    while (Date.now() < until) {
      await pause(SCRAPED_EVERY_MS);
      recording.push(await readPages(environment));
    }
    await happening;
    return recording;
  };
  const [paying, living] = [new AbortController(), new AbortController()];
  const lives = liveQuietly(environment, living.signal);
  const quiet = await watch('quiet', MINUTE);
  const night = await watch('night', MINUTE, () => ops(['reconciliation', 'run', '--reason', 'a drill']));
  const pays = payUsually(environment, paying.signal);
  const usual = await watch('usual', 3 * MINUTE);
  const deployment = await watch('deployment', 2 * MINUTE, async () => {
    for (const one of processes) {
      one.kill();
      await pause(SCRAPED_EVERY_MS);
      await one.ready();
    }
  });
  const provider = await watch('provider blip', 3 * MINUTE, async () => {
    await fail(environment, { replies: { error503: 1 } });
    await pause(20_000);
    await fail(environment, {});
  });
  const database = await watch('database blip', 2 * MINUTE, async () => {
    const faults = databases.map((one) => one.stall());
    await pause(8_000);
    for (const fault of faults) fault.goOn();
  });
  paying.abort();
  living.abort();
  await Promise.all([lives, pays]);
  return { quiet, usual, deployment, 'provider blip': provider, 'database blip': database, night };
}

/** One user looks at the app, and now and then somebody signs in. */
const liveQuietly = async (environment: Environment, signal: AbortSignal): Promise<unknown> =>
  Promise.all([
    repeat(signal, async () => environment.people[0]?.ponte.me(), 5_000),
    repeat(signal, () => signIn(createPerson(environment)), 30_000),
  ]);

const keyOf = (count: number): string =>
  ({ 10: 'fail@pix.example', 20: 'unknown@pix.example' })[count % 30] ?? `shop-${count}@example.com`;

/** Users pay. One of 30 payments fails, one of 30 has an unknown recipient, and one of ten verifications fails. */
async function payUsually(environment: Environment, signal: AbortSignal): Promise<unknown> {
  const { people } = environment;
  let [payments, verifications] = [0, 0];
  return Promise.all([
    ...people.map((person) =>
      repeat(signal, async () => {
        payments += 1;
        await pay(person, 20, { pixKey: keyOf(payments), pixKeyType: 'email' });
      }),
    ),
    repeat(
      signal,
      async () => {
        verifications += 1;
        const person = createPerson(environment);
        await signIn(person);
        const fullName = verifications % 10 === 0 ? 'Ada Fail' : 'Ada Silva';
        await openAccount(person, { fullName, withinMs: 0 });
      },
      20_000,
    ),
    repeat(signal, () => payTo(environment, 'instant'), 15_000),
  ]);
}

/** A process that does not answer has no page. */
async function readPages({ metricsPorts }: Environment): Promise<Page[]> {
  const pages = await Promise.all(metricsPorts.map((port) => readPage(port).catch(() => null)));
  return metricsPorts.map(
    (port, index) =>
      pages[index] ?? {
        instance: `127.0.0.1:${port}`,
        at: Date.now(),
        values: new Map(),
        growing: new Set(),
      },
  );
}

/** Only these are compared with the week before. */
const COMPARED = /^ponte_(outcomes|http_requests)_total/;
const STARTED = 'process_start_time_seconds';
const LAST_NIGHT = 'ponte_nightly_last_success_timestamp_seconds';

function* samplesOf(recordings: Record<Kind, Recording>, until: number): Generator<string> {
  const series = new Map<string, { total: number; last: number; writtenAt: number }>();
  const started = new Map<string, { page: number; at: number }>();
  /** Writes a page. Its counters grow by what they grew between this page and the one before it, `times` as much. */
  const write = (at: number, page: Page, before: Page | undefined, times: number): string => {
    const labels = `job="ponte",instance="${page.instance}"`;
    let text = `up{${labels}} ${page.values.size > 0 ? 1 : 0} ${at}\n`;
    for (const [name, value] of page.values) {
      if (at < until - WEEK && !COMPARED.test(name)) continue;
      const key = name.includes('{') ? name.replace('{', `{${labels},`) : `${name}{${labels}}`;
      const one = series.get(key) ?? { total: 0, last: Number.NaN, writtenAt: 0 };
      series.set(key, one);
      let now = value;
      if (page.growing.has(name)) {
        const grown = value - (before?.values.get(name) ?? value);
        // A process that has restarted counts from zero.
        one.total = grown < 0 ? value : one.total + grown * times;
        now = one.total;
      } else if (name === STARTED) {
        const start = started.get(key) ?? { page: value, at: until - 2 * WEEK };
        const hasRestarted =
          before?.values.has(name) !== undefined &&
          before.values.get(name) !== value &&
          before.values.size > 0;
        now = hasRestarted ? at : start.at;
        started.set(key, { page: value, at: now });
      } else if (name.startsWith(LAST_NIGHT))
        now = Math.floor((at - 4 * HOUR) / DAY) * DAY + 3 * HOUR + 10 * MINUTE;
      if (now === one.last && at - one.writtenAt < 2 * STEP_SECONDS) continue;
      one.last = now;
      one.writtenAt = at;
      text += `${key} ${now} ${at}\n`;
    }
    return text;
  };
  for (let at = until - 2 * WEEK; at < until; ) {
    const second = (at - (until - 2 * WEEK)) % WEEK;
    const [day, hour] = [Math.floor(second / DAY), Math.floor((second % DAY) / HOUR)];
    const event = EVENTS.find(([ofDay, ofHour]) => ofDay === day && ofHour === hour);
    const isBegin = second % HOUR < STEP_SECONDS;
    if (event && isBegin) {
      const recording = recordings[event[2]];
      const [first] = recording[0] ?? [];
      for (const [index, pages] of recording.entries()) {
        const offset = Math.round(((pages[0]?.at ?? 0) - (first?.at ?? 0)) / 1_000);
        for (const [place, page] of pages.entries()) {
          // After a page that is missing, the counters are compared with the last one that is not.
          const before = recording.slice(0, index).findLast((one) => (one[place]?.values.size ?? 0) > 0)?.[
            place
          ];
          yield write(at + offset, page, before, 1);
        }
      }
      at +=
        Math.ceil(((recording.at(-1)?.[0]?.at ?? 0) - (first?.at ?? 0)) / 1_000 / STEP_SECONDS + 0.1) *
        STEP_SECONDS;
      continue;
    }
    const recording = recordings[isUsualHour(hour) ? 'usual' : 'quiet'];
    const [first = [], last = []] = [recording[0], recording.at(-1)];
    for (const [place, page] of last.entries()) {
      const before = first[place];
      yield write(at, page, before, STEP_SECONDS / ((page.at - (before?.at ?? 0)) / 1_000));
    }
    at += STEP_SECONDS;
  }
}
