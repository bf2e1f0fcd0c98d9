// Prints a timeline on one screen: the row, the current state of its resources at the provider, and its history.
import { waitingOperator } from '../../src/provider/caller.ts';
import { type CommandCall, type CommandSpec, OpsFailure, type SupportApp } from '../command.ts';
import { age, moment, oneLine, paintState } from '../format.ts';
import type { Output } from '../output.ts';
import { printSection, stateColumn, table } from '../table.ts';
import { depositTimeline } from '../timeline/deposit.ts';
import type { DiscrepancyLine } from '../timeline/discrepancies.ts';
import { find } from '../timeline/find.ts';
import type { HistoryEntry } from '../timeline/history.ts';
import { pixPaymentTimeline } from '../timeline/pix-payment.ts';
import type { LiveResource } from '../timeline/provider-resources.ts';
import type { Line, Timeline } from '../timeline/timeline.ts';
import { userTimeline } from '../timeline/user.ts';
import { withdrawTimeline } from '../timeline/withdraw.ts';

export const showCommand: CommandSpec = {
  name: 'show',
  summary: 'the timeline of a payment, withdrawal, deposit or user, by any of its ids',
  argument: { name: 'id', form: 'text' },
  isForSupport: true,
  run,
};

const timelines = {
  pix_payment: pixPaymentTimeline,
  withdraw: withdrawTimeline,
  deposit: depositTimeline,
  user: userTimeline,
};

async function run({ app, out, argument }: CommandCall<SupportApp>): Promise<void> {
  const found = await find(app, argument);
  if (!found)
    throw new OpsFailure(
      `No row here has the id "${oneLine(argument)}". A refused request is only in the log, under its requestId.`,
    );
  const { db, sealer, providerConnection } = app;
  const provider = providerConnection?.for(waitingOperator) ?? null;
  const timeline = await timelines[found.kind]({ db, sealer, provider }, found, out.now);
  if (out.isJson) return out.json(timeline);
  printTimeline(out, timeline, provider === null ? 'as it last reported' : 'now');
}

/** @param when the time of what is known of the provider. */
function printTimeline(out: Output, timeline: Timeline, when: string): void {
  printHead(out, timeline);
  for (const { title, rows } of timeline.lists) printSection(out, title, linesOf(out, rows));
  const { provider, discrepancies, history } = timeline;
  if (provider)
    printSection(
      out,
      `At the provider, ${when}`,
      [...resourceLines(out, provider), ...discrepancyLines(out, discrepancies)],
      'no resource',
    );
  if (history) printSection(out, 'History', historyLines(out, history));
}

function printHead(out: Output, { what, id, state, since, facts }: Timeline): void {
  const { style, now } = out;
  const status = state === null ? '' : `  ${paintState(state, style)(state)}`;
  out.print(`${style.bold(what)}  ${id}${status}${since ? `, ${age(since, now)}` : ''}`);
  const width = Math.max(...facts.map(({ label }) => label.length)) + 2;
  for (const { label, text } of facts)
    if (text !== '') out.print(`  ${style.dim(label.padEnd(width))}${text}`);
}

const linesOf = ({ style, now }: Output, rows: Line[]): string[] =>
  table(style, rows, [
    { title: 'id', of: ({ id }) => id },
    { title: 'what', of: ({ what }) => what },
    stateColumn('state', ({ state }) => state),
    { title: 'since', of: ({ since }) => age(since, now), alignRight: true },
    { title: 'amount', of: ({ text }) => text, alignRight: true },
  ]);

const resourceLines = ({ style, now }: Output, resources: LiveResource[]): string[] =>
  table(style, resources, [
    { title: 'what', of: ({ what }) => what },
    stateColumn('status', ({ status }) => status),
    { title: 'amount', of: ({ text }) => text },
    { title: 'changed', of: ({ updatedAt }) => age(updatedAt, now), alignRight: true },
    { title: "the provider's id", of: ({ providerRef, handle }) => providerRef ?? `handle ${handle}` },
    { title: 'its reason', of: ({ said }) => said ?? '' },
  ]);

const discrepancyLines = ({ style, now }: Output, discrepancies: DiscrepancyLine[]): string[] =>
  discrepancies.map(({ id, at, text, resolution }) =>
    resolution === null
      ? style.red(`discrepancy ${id}, open, ${age(at, now)}: ${text}`)
      : style.dim(`discrepancy ${id}, resolved (${resolution}): ${text}`),
  );

function historyLines({ style }: Output, history: HistoryEntry[]): string[] {
  const [day, ...others] = new Set(history.map(({ at }) => moment(at).slice(0, 10)));
  const isOneDay = others.length === 0;
  return table(style, history, [
    {
      title: isOneDay ? `${day} UTC` : 'at (UTC)',
      of: ({ at }) => (isOneDay ? moment(at).slice(11) : moment(at)),
    },
    { title: 'kind', of: ({ kind }) => kind, paint: ({ isBad }) => (isBad ? style.red : (text) => text) },
    { title: 'event', of: ({ text }) => text },
    { title: 'details', of: ({ details }) => details },
    { title: 'cause or id', of: ({ by }) => by },
  ]);
}
