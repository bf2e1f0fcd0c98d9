// `npm run fixtures:keep` records what this version is the first to write into databases: rows in new states, new transitions, and new
// names. It takes the rows from the decision tables of the machines. It only adds, so it cannot change what a released version wrote.
import { execFileSync } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { step } from '../../machines/step.ts';
import type { LifecycleRow } from '../../src/lifecycle/lifecycle.ts';
import type { SubjectKind } from '../../src/tables/subject.ts';
import { decisions as contestation } from '../machines/contestation.decisions.ts';
import { decisions as kyc } from '../machines/kyc.decisions.ts';
import { decisions as payoutRefund } from '../machines/payout-refund.decisions.ts';
import { decisions as pixPayment } from '../machines/pix-payment.decisions.ts';
import { decisions as providerAccount } from '../machines/provider-account.decisions.ts';
import { decisions as withdraw } from '../machines/withdraw.decisions.ts';
import names from './fixtures/names.json' with { type: 'json' };
import { kept, present, type StateFixture, states } from './fixtures.ts';
import { kinds, lifecycles, statesWithoutFixture, transitionsWithoutFixture } from './lifecycles.ts';
import { type NameKind, namesOfCode } from './names.ts';

const folder = path.join(import.meta.dirname, 'fixtures');
const root = path.join(import.meta.dirname, '../..');

type Situation = { state: string; context: object };
type Table = {
  situations: Record<string, Situation>;
  events: Record<string, { type: string }>;
  accepted: readonly (readonly [situation: string, event: string, next: string, ...more: unknown[]])[];
};
const tables: Record<SubjectKind, Table> = {
  kyc,
  pix_payment: pixPayment,
  provider_account: providerAccount,
  withdraw,
  contestation,
  payout_refund: payoutRefund,
};

/** The properties that a machine reads from its row and never changes. */
const givenProperties: Record<SubjectKind, (context: never) => object> = {
  kyc: () => ({}),
  pix_payment: ({ flow, quotedSourceMinor, amountBrlMinor }) => ({
    flow,
    sourceAmountMinor: quotedSourceMinor,
    amountBrlMinor,
  }),
  provider_account: () => ({}),
  withdraw: ({ amountMinor, currency }) => ({ amountMinor, currency }),
  contestation: () => ({}),
  payout_refund: ({ amountBrlMinor }) => ({ amountBrlMinor }),
};

const formerly = kept();
const changed = formerly.filter((line) => !present().includes(line));
if (changed.length > 0) throw new Error(`put these fixtures back first:\n${changed.join('\n')}`);
for (const kind of kinds) addStates(kind);
write('states.json', states);
const addedNames = addNames();
write('names.json', names);
const added = present().filter((line) => !formerly.includes(line));
if (added.length > 0) appendFileSync(path.join(folder, 'kept.txt'), `${added.join('\n')}\n`);
execFileSync('npx', ['biome', 'check', '--write', folder], { cwd: root, stdio: 'ignore' });
for (const line of [...added, ...addedNames]) console.log(`kept ${line}`);

/** Adds a fixture for each situation that has a new transition, and for each new state. */
function addStates(kind: SubjectKind): void {
  const { situations, events, accepted } = tables[kind];
  const taken = transitionsWithoutFixture(kind).map(({ from, event, to }) => {
    const row = accepted.find(
      ([situation, name, next]) =>
        situations[situation]?.state === from && events[name]?.type === event && next === to,
    );
    if (row === undefined)
      throw new Error(`the decisions of a ${kind} have no ${event} from ${from} to ${to}`);
    return { situation: row[0], name: row[1] };
  });
  for (const [situation, steps] of Map.groupBy(taken, (one) => one.situation))
    addFixture(
      kind,
      situation,
      steps.map(({ name }) => name),
    );
  for (const state of statesWithoutFixture(kind)) {
    const situation = Object.keys(situations).find((name) => situations[name]?.state === state);
    if (situation === undefined) throw new Error(`the decisions of a ${kind} have no ${state}`);
    addFixture(kind, situation, []);
  }
}

function addFixture(kind: SubjectKind, situation: string, eventNames: string[]): void {
  const { situations, events } = tables[kind];
  const { state, context } = situations[situation] as Situation;
  const { machine, contextOf, propertiesOf } = lifecycles[kind];
  const properties = { ...givenProperties[kind](context as never), ...propertiesOf(context) };
  // The row must give the machine the context of the decision. A column that is missing here would be missing in the fixture.
  if (!isDeepStrictEqual(contextOf({ ...properties, state } as unknown as LifecycleRow), context))
    throw new Error(`the row of ${kind} ${situation} does not give its context`);
  const steps = eventNames.map((name): StateFixture['steps'][number] => {
    const { type, ...data } = events[name] as { type: string };
    const next = step(machine, state, context, { type, ...data });
    if (next === null) throw new Error(`a ${kind} in ${situation} refuses ${name}`);
    const columns = namedByColumn(propertiesOf(next.context as object));
    return { event: type, event_data: data, to: next.state, columns, effects: next.effects };
  });
  const plain = `${kind} ${situation}`;
  const name = plain in states ? [plain, ...eventNames].join(', ') : plain;
  if (name in states) throw new Error(`the fixture ${name} exists: name the situation differently`);
  states[name] = { kind, row: { state, ...namedByColumn(properties) }, steps };
}

/** Renames properties to columns: `amountMinor` becomes `amount_minor`. */
function namedByColumn(properties: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}

/** Adds the names that the code has and the fixture lacks, each at the end of its list. */
function addNames(): string[] {
  return (Object.keys(names) as NameKind[]).flatMap((list) => {
    const missing = [...new Set(namesOfCode[list])].filter((name) => !names[list].includes(name));
    names[list].push(...missing);
    return missing.map((name) => `${list} ${name}`);
  });
}

function write(name: string, content: object): void {
  writeFileSync(path.join(folder, name), `${JSON.stringify(content, null, 2)}\n`);
}
