// Prints a timeline on one screen: the row, the current state of its resources at the provider, and its history.
import { type CommandCall, type CommandSpec, OpsFailure } from '../command.ts';
import { age, moment, oneLine, paintState } from '../format.ts';
import type { Output } from '../output.ts';
import { table } from '../table.ts';
import { depositTimeline } from '../timeline/deposit.ts';
import { find } from '../timeline/find.ts';
import { pixPaymentTimeline } from '../timeline/pix-payment.ts';
import type { Timeline } from '../timeline/timeline.ts';
import { userTimeline } from '../timeline/user.ts';
import { withdrawTimeline } from '../timeline/withdraw.ts';

export const showCommand: CommandSpec = {
  name: 'show',
  summary: 'the timeline of a payment, withdrawal, deposit or user, by any id of theirs',
  argument: { name: 'id', form: 'text' },
  run,
};

const timelines = {
  pix_payment: pixPaymentTimeline,
  withdraw: withdrawTimeline,
  deposit: depositTimeline,
  user: userTimeline,
};

async function run({ app, out, argument }: CommandCall): Promise<void> {
  const found = await find(app, argument);
  if (!found)
    throw new OpsFailure(
      `No row here has the id "${oneLine(argument)}". A refused request is only in the log, under its requestId.`,
    );
  const timeline = await timelines[found.kind](app, found, out.now);
  if (out.isJson) return out.json(timeline);
  printHead(out, timeline);
  printLists(out, timeline);
  printProvider(out, timeline);
  printHistory(out, timeline);
}

function printHead(out: Output, { what, id, state, since, facts }: Timeline): void {
  const { style, now } = out;
  const status = state === null ? '' : `  ${paintState(state, style)(state)}`;
  out.print(`${style.bold(what)}  ${id}${status}${since ? `, ${age(since, now)}` : ''}`);
  const width = Math.max(...facts.map(({ label }) => label.length)) + 2;
  for (const { label, text } of facts)
    if (text !== '') out.print(`  ${style.dim(label.padEnd(width))}${text}`);
}

function printLists({ print, style, now }: Output, { lists }: Timeline): void {
  for (const { title, rows } of lists) {
    print(`\n${style.bold(title)}`);
    if (rows.length === 0) print('  none');
    const lines = table(
      [
        { title: 'id', of: ({ id }) => id },
        { title: 'what', of: ({ what }) => what },
        { title: 'state', of: ({ state }) => state, paint: ({ state }) => paintState(state, style) },
        { title: 'since', of: ({ since }) => age(since, now), alignRight: true },
        { title: 'amount', of: ({ text }) => text, alignRight: true },
      ],
      rows,
      style,
    );
    if (rows.length > 0) for (const line of lines) print(`  ${line}`);
  }
}

function printProvider({ print, style, now }: Output, { provider }: Timeline): void {
  if (provider === null) return;
  print(`\n${style.bold('At the provider, now')}`);
  if (provider.length === 0) print('  no resource');
  const lines = table(
    [
      { title: 'what', of: ({ what }) => what },
      { title: 'status', of: ({ status }) => status, paint: ({ status }) => paintState(status, style) },
      { title: 'amount', of: ({ text }) => text },
      { title: 'changed', of: ({ updatedAt }) => age(updatedAt, now), alignRight: true },
      { title: "the provider's id", of: ({ providerRef, handle }) => providerRef ?? `handle ${handle}` },
      { title: 'its reason', of: ({ said }) => said ?? '' },
    ],
    provider,
    style,
  );
  if (provider.length > 0) for (const line of lines) print(`  ${line}`);
}

function printHistory({ print, style }: Output, { history }: Timeline): void {
  if (history === null) return;
  print(`\n${style.bold('History')}`);
  const days = new Set(history.map(({ at }) => moment(at).slice(0, 10)));
  const [day] = days;
  const isOneDay = days.size === 1;
  const lines = table(
    [
      {
        title: isOneDay ? `${day} UTC` : 'at (UTC)',
        of: ({ at }) => (isOneDay ? moment(at).slice(11) : moment(at)),
      },
      { title: 'kind', of: ({ kind }) => kind, paint: ({ isBad }) => (isBad ? style.red : (text) => text) },
      { title: 'event', of: ({ text }) => text },
      { title: 'details', of: ({ details }) => details },
      { title: 'cause or id', of: ({ by }) => by },
    ],
    history,
    style,
  );
  for (const line of lines) print(`  ${line}`);
}
