// After a database was restored to an older backup: what exists at the provider without a row here, and taking it in.
import type { App } from '../../app.ts';
import { auditOperator } from '../../audit/operator.ts';
import { runInBackground } from '../../provider/call-priority.ts';
import { type Adopted, adopt, listOrphans, type Orphan } from '../../recovery/recovery.ts';
import { type Call, listed, OpsFailure } from '../command.ts';
import { age, amount, count } from '../format.ts';
import { paintState } from '../paint.ts';
import { type Column, printList } from '../table.ts';

export const run = (call: Call): Promise<void> => runInBackground(() => listOrTakeIn(call));

async function listOrTakeIn(call: Call): Promise<void> {
  const { out, options, limit } = call;
  const wanted = listed(options['take']);
  if (wanted.length === 0 && options['all'] !== true) {
    const orphans = await orphansOf(call, limit + 1, () => true);
    return printList(call, columnsAt(out.now), orphans, 'Everything at the provider has its row here.');
  }
  const isWanted = ({ providerRef, handle, match }: Orphan): boolean =>
    options['all'] === true
      ? match.becomes !== null
      : wanted.includes(providerRef) || wanted.includes(handle);
  const orphans = await orphansOf(call, Number.POSITIVE_INFINITY, isWanted);
  if (orphans.length === 0)
    throw new OpsFailure('There is no such thing at the provider without a row here.');
  await takeIn(call, orphans);
}

async function orphansOf(
  { app, out, options, signal }: Call,
  most: number,
  isWanted: (orphan: Orphan) => boolean,
): Promise<Orphan[]> {
  const found: Orphan[] = [];
  const orphans = listOrphans(app, {
    knownIds: listed(options['ids']),
    signal,
    onProgress: ({ stage, seen }) => out.progress(`${stage}: ${seen} seen, ${found.length} without a row`),
  });
  for await (const orphan of orphans) {
    if (isWanted(orphan)) found.push(orphan);
    if (found.length >= most) break;
  }
  return found;
}

type Taken = Adopted & { providerRef: string };

async function takeIn({ app, out, operator, reason, signal }: Call, orphans: Orphan[]): Promise<void> {
  const taken: Taken[] = [];
  for (const orphan of orphans) {
    if (signal.aborted) break;
    out.progress(`Taking in: ${taken.length} of ${orphans.length}`);
    const adopted = await adopt(app, orphan, { kind: 'operator', id: operator });
    if (adopted.id !== null) await record(app, orphan, adopted.id, { operator, reason });
    taken.push({ providerRef: orphan.providerRef, ...adopted });
  }
  printList(
    { out, limit: taken.length },
    [
      { title: 'at the provider', of: (one) => one.providerRef },
      { title: 'here', of: ({ id }) => id ?? '' },
      {
        title: 'state',
        of: ({ state }) => state ?? '',
        paint: ({ state }, style) => paintState(state ?? '', style),
      },
      { title: 'why', of: ({ why }) => why ?? '' },
    ],
    taken,
    'Nothing was taken in.',
  );
  const left = orphans.length - taken.filter(({ id }) => id !== null).length;
  if (left > 0) throw new OpsFailure(`${count(left, 'thing')} could not be taken in.`);
}

const record = (app: App, orphan: Orphan, target: string, by: { operator: string; reason: string }) =>
  auditOperator(app.db, {
    ...by,
    action: 'adopt',
    target,
    userId: orphan.match.userId,
    now: app.clock.now(),
  });

const columnsAt = (now: Date): Column<Orphan>[] => [
  { title: 'at the provider', of: ({ providerRef }) => providerRef },
  { title: 'what', of: ({ kind }) => kind },
  { title: 'changed', of: ({ at }) => age(at, now), isFigure: true },
  { title: 'took', of: (one) => (one.currency ? amount(one.amountMinor, one.currency) : ''), isFigure: true },
  {
    title: 'parts',
    of: ({ parts }) => parts.map(({ purpose, status }) => `${purpose} ${status}`).join(', '),
  },
  { title: 'user', of: ({ match }) => match.userId ?? 'nobody known' },
  { title: 'becomes', of: ({ match }) => match.becomes ?? match.why ?? '' },
];
