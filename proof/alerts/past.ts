// Gives a Prometheus a past: pages that the real service has answered with, at earlier times. `promtool` makes blocks of them. An alert
// that waits (`for:`) also needs to know since when its condition has held: Prometheus keeps that in the series ALERTS_FOR_STATE, which is
// computed here from the shipped expressions.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { promisify } from 'node:util';
import { type Series, startPrometheus } from '../../harness/monitoring/prometheus.ts';
import type { Past } from './incidents/incident.ts';
import type { Page } from './page.ts';
import { type AlertRule, alertRules } from './rules.ts';

export const PROMTOOL = '/usr/bin/promtool';
export const run = promisify(execFile);

const MINUTE = 60;
/** One block for everything: promtool reads its input once for each block. */
const ONE_BLOCK = '--max-block-duration=2000h';
const STEP_SECONDS = MINUTE;
const LONG_STEP_SECONDS = 2 * MINUTE;
const LONG_MINUTES = 6 * 60;
/** A condition that held until this long before the start still holds. */
const RECENT_SECONDS = 5 * MINUTE;

/** The pages of each process, at two moments each. What happened between them is repeated. */
export type Repeated = Record<Past['pages'], Page[]>;

/**
 * Writes the past into the folder of a Prometheus that does not run.
 * @returns how long after the beginning of the fault each alert that rings at the end had begun to ring, in milliseconds.
 */
export async function writePast(folder: string, past: Past[], pages: Repeated): Promise<Map<string, number>> {
  const now = Math.floor(Date.now() / 1_000);
  const stepSeconds = past.some(({ fromMinutes, untilMinutes }) => fromMinutes - untilMinutes > LONG_MINUTES)
    ? LONG_STEP_SECONDS
    : STEP_SECONDS;
  await writeBlock(folder, pagesOf(past, pages, now, stepSeconds));
  const prometheus = await startPrometheus({ metricsPorts: [], dataFolder: folder, evaluates: false });
  const hitAt = now - (past.find((part) => part.pages === 'hit')?.fromMinutes ?? 0) * MINUTE;
  const [since, rang] = [[] as string[], new Map<string, number>()];
  for (const rule of alertRules) {
    for (const series of await prometheus.range(rule.expr, { from: hitAt, until: now, stepSeconds })) {
      const activeAt = lastBegin(series, stepSeconds);
      if (activeAt === null || now - (series.values.at(-1)?.[0] ?? 0) > RECENT_SECONDS) continue;
      since.push(`ALERTS_FOR_STATE{${labelsOf(rule, series)}} ${activeAt} ${now}\n`);
      const rangAt = (activeAt + rule.forSeconds - hitAt) * 1_000;
      rang.set(rule.name, Math.min(rangAt, rang.get(rule.name) ?? rangAt));
    }
  }
  await prometheus.stop();
  if (since.length > 0) await writeBlock(folder, since);
  return rang;
}

/** @returns since when, up to its end, the series has had a value at each step; null if it has none. */
function lastBegin({ values }: Series, stepSeconds: number): number | null {
  const times = values.map(([at]) => at);
  const gap = times.findLastIndex((at, index) => index > 0 && at - (times[index - 1] ?? 0) > stepSeconds);
  return times[Math.max(gap, 0)] ?? null;
}

function labelsOf({ name, labels }: AlertRule, { metric }: Series): string {
  const { __name__: _name, ...own } = metric;
  return Object.entries({ ...own, ...labels, alertname: name })
    .map(([label, value]) => `${label}=${JSON.stringify(value)}`)
    .join(',');
}

/** Writes lines of OpenMetrics into a file and makes blocks of it. */
export async function writeBlock(folder: string, lines: Iterable<string>): Promise<void> {
  const file = `${folder}.txt`;
  const stream = createWriteStream(file);
  let text = '';
  for (const line of lines) {
    text += line;
    if (text.length < 1_000_000) continue;
    if (!stream.write(text)) await once(stream, 'drain');
    text = '';
  }
  stream.end(`${text}# EOF\n`);
  await once(stream, 'finish');
  await run(PROMTOOL, ['tsdb', 'create-blocks-from', '-q', 'openmetrics', ONE_BLOCK, file, folder]);
}

function* pagesOf(past: Past[], pages: Repeated, now: number, stepSeconds: number): Generator<string> {
  const parts = past.map(({ pages: which, fromMinutes, untilMinutes }) => ({
    samples: repeatedOf(pages[which]),
    from: now - fromMinutes * MINUTE,
    until: now - untilMinutes * MINUTE,
  }));
  // A counter ends where the process has it now. Otherwise the first scrape would show a jump.
  const totals = new Map(parts.at(-1)?.samples.map(({ series, value }) => [series, value]));
  for (const { samples, from, until } of parts)
    for (const { series, perSecond } of samples)
      totals.set(
        series,
        (totals.get(series) ?? 0) - perSecond * Math.ceil((until - from) / stepSeconds) * stepSeconds,
      );
  for (const { samples, from, until } of parts)
    for (let at = from; at < until; at += stepSeconds) yield samplesAt(at, samples, totals, stepSeconds);
}

type Sample = { series: string; isGrowing: boolean; value: number; perSecond: number };

/** What happens in a second, from two pages of each process. */
function repeatedOf(pages: Page[]): Sample[] {
  return [...Map.groupBy(pages, ({ instance }) => instance)].flatMap(([instance, [before, after]]) => {
    if (!before || !after) return [];
    const seconds = (after.at - before.at) / 1_000;
    const labels = `job="ponte",instance="${instance}"`;
    return [
      { series: `up{${labels}}`, isGrowing: false, value: 1, perSecond: 0 },
      ...[...after.values].map(([series, value]) => {
        const isGrowing = after.growing.has(series);
        const grown = value - (before.values.get(series) ?? 0);
        return {
          series: series.includes('{') ? series.replace('{', `{${labels},`) : `${series}{${labels}}`,
          isGrowing,
          value,
          // A process that has restarted between the two pages counts from zero.
          perSecond: isGrowing ? Math.max(grown, 0) / seconds : 0,
        };
      }),
    ];
  });
}

/** @param totals the counters so far. They grow. */
function samplesAt(at: number, samples: Sample[], totals: Map<string, number>, seconds: number): string {
  let text = '';
  for (const { series, isGrowing, value, perSecond } of samples) {
    if (isGrowing) totals.set(series, (totals.get(series) ?? 0) + perSecond * seconds);
    text += `${series} ${isGrowing ? totals.get(series) : value} ${at}\n`;
  }
  return text;
}
