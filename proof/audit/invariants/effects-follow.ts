// No effect without a committed decision and no decision without its effect: each step of the history is one that its
// machine has, follows the one before, and ordered exactly the effects which the machine says it orders.
import type { AnyStateMachine } from 'xstate';
import { arrowsOf, beginningOf, effectName } from '../../../machines/arrows.ts';
import { kycMachine } from '../../../machines/kyc.machine.ts';
import { pixPaymentMachine } from '../../../machines/pix-payment.machine.ts';
import { providerAccountMachine } from '../../../machines/provider-account.machine.ts';
import { withdrawMachine } from '../../../machines/withdraw.machine.ts';
import type { Books } from '../books.ts';
import type { EffectRow, Transition } from '../ours.ts';
import type { Hold } from '../tally.ts';

export function effectsFollowDecisions({ ours, transitionsOf }: Books, hold: Hold): void {
  const ordered = Map.groupBy(ours.effects, ({ subject_id: id, seq }) => `${id} ${seq}`);
  for (const transition of ours.transitions) {
    const { subject_id: id, seq } = transition;
    const key = `${id} ${seq}`;
    const expected = orderedBy(transition);
    hold(id, expected !== null, `step ${seq}, ${told(transition)}, is none that the machine has`);
    const actual = (ordered.get(key) ?? []).filter((effect) => !isOrderedBeside(effect)).map(effectName);
    const should = (expected ?? []).filter((name) => name !== 'provisionAccounts');
    hold(
      id,
      actual.toSorted().join() === should.toSorted().join(),
      `step ${seq}, ${told(transition)}, ordered [${actual.join()}] instead of [${should.join()}]`,
    );
    const hasProvisioning = (ordered.get(key) ?? []).some(({ type }) => type === 'provisionAccounts');
    if (expected?.includes('provisionAccounts'))
      hold(id, hasProvisioning, 'verified, and no accounts ordered');
  }

  const rows = [...ours.payments, ...ours.withdraws, ...ours.verifications, ...ours.accounts];
  for (const { id, state, seq } of rows) {
    const history = transitionsOf(id);
    const isWhole = history.every(
      (step, index) => step.seq === index + 1 && step.from_state === (history[index - 1]?.to_state ?? null),
    );
    hold(
      id,
      isWhole && history.length === seq,
      `its history has gaps: ${history.map(({ seq: at }) => at).join()}`,
    );
    hold(
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
    hold(id, decided.has(`${id} ${seq}`), `${type} was ordered by no decision (${seq})`);
  for (const { id, version } of ours.bankDetails)
    hold(id, ordered.has(`${id} ${version}`), 'saved, and no validation ordered');
}

// Accounts are also ordered when the home currency is chosen, and when the second flow is turned on.
const isOrderedBeside = ({ type }: EffectRow): boolean => type === 'provisionAccounts';

const machines: Record<Transition['subject_kind'], AnyStateMachine> = {
  pix_payment: pixPaymentMachine,
  withdraw: withdrawMachine,
  kyc: kycMachine,
  provider_account: providerAccountMachine,
};

/** Names of effects by `kind from event to`. */
const steps = new Map<string, string[]>(
  Object.entries(machines).flatMap(([kind, machine]) => [
    [`${kind} null begun ${beginningOf(machine).to}`, beginningOf(machine).effects] as const,
    ...arrowsOf(machine).map(
      ({ from, event, to, effects }) => [`${kind} ${from} ${event} ${to}`, effects] as const,
    ),
  ]),
);

/** @returns what the machine orders at this step, or null when it has no such step. */
const orderedBy = (transition: Transition): string[] | null =>
  steps.get(`${transition.subject_kind} ${told(transition)}`) ?? null;

const told = ({ from_state: from, event, to_state: to }: Transition): string => `${from} ${event} ${to}`;
