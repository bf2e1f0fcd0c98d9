// Every effect has a committed transition, and every transition has its effects: each step of the history is one of rules/steps.ts,
// follows the previous step, and emitted exactly the effects that are listed there.
import type { Books } from '../books.ts';
import type { Check } from '../counts.ts';
import type { EffectRow, Transition } from '../ours-rows.ts';
import { steps } from '../rules/steps.ts';

export function effectsFollowDecisions({ ours, transitionsOf }: Books, check: Check): void {
  const ordered = Map.groupBy(ours.effects, ({ subject_id: id, seq }) => `${id} ${seq}`);
  for (const transition of ours.transitions) {
    const { subject_id: id, seq } = transition;
    const key = `${id} ${seq}`;
    const expected = orderedBy(transition);
    check(id, expected !== null, `step ${seq}, ${textOf(transition)}, is not a step of the lifecycle`);
    const actual = (ordered.get(key) ?? []).filter((effect) => !isOrderedBeside(effect)).map(nameOf);
    const should = (expected ?? []).filter((name) => name !== 'provisionAccounts');
    check(
      id,
      actual.toSorted().join() === should.toSorted().join(),
      `step ${seq}, ${textOf(transition)}, ordered [${actual.join()}] instead of [${should.join()}]`,
    );
    const hasProvisioning = (ordered.get(key) ?? []).some(({ type }) => type === 'provisionAccounts');
    if (expected?.includes('provisionAccounts'))
      check(id, hasProvisioning, 'verified, and no accounts ordered');
  }

  const rows = [
    ...ours.payments,
    ...ours.withdraws,
    ...ours.verifications,
    ...ours.accounts,
    ...ours.contestations,
    ...ours.refunds,
  ];
  for (const { id, state, seq } of rows) {
    const history = transitionsOf(id);
    const isWhole = history.every(
      (step, index) => step.seq === index + 1 && step.from_state === (history[index - 1]?.to_state ?? null),
    );
    check(
      id,
      isWhole && history.length === seq,
      `its history has gaps: ${history.map(({ seq: at }) => at).join()}`,
    );
    check(
      id,
      history.at(-1)?.to_state === state,
      `${state}, but its history ends ${history.at(-1)?.to_state}`,
    );
  }

  const decided = new Set([
    ...ours.transitions.map(({ subject_id: id, seq }) => `${id} ${seq}`),
    ...ours.bankDetails.flatMap(({ id, version }) =>
      Array.from({ length: version }, (_, before) => `${id} ${before + 1}`),
    ),
  ]);
  for (const { subject_id: id, seq, type } of ours.effects)
    check(id, decided.has(`${id} ${seq}`), `${type} was ordered by no decision (${seq})`);
  for (const { id, version } of ours.bankDetails)
    check(id, ordered.has(`${id} ${version}`), 'saved, and no validation ordered');
}

// Choosing the home currency and turning on the second flow also emit this effect, outside of any transition.
const isOrderedBeside = ({ type }: EffectRow): boolean => type === 'provisionAccounts';

/** The effect's type, with its parameters after colons. */
const nameOf = ({ type, params }: EffectRow): string => [type, ...Object.values(params ?? {})].join(':');

/** Maps `kind from event to` to the names of effects. */
const expectedEffects = new Map<string, string[]>(
  Object.entries(steps).flatMap(([kind, table]) =>
    table.map(([from, event, to, orders]) => [`${kind} ${from} ${event} ${to}`, orders] as const),
  ),
);

/** Returns the effects that a step emits, or null if rules/steps.ts does not list the step. */
const orderedBy = (transition: Transition): string[] | null =>
  expectedEffects.get(`${transition.subject_kind} ${textOf(transition)}`) ?? null;

const textOf = ({ from_state: from, event, to_state: to }: Transition): string => `${from} ${event} ${to}`;
