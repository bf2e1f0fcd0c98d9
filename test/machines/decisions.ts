// Tests a machine's decisions against one complete table: each event in each situation leads to a state or is refused.
import { expect, test } from 'vitest';
import type { AnyStateMachine, EventFromLogic, InputFrom } from 'xstate';
import { arrowsOf, effectName, leafStatesOf } from '../../machines/arrows.ts';
import { assertInvariants } from '../../machines/invariants.ts';
import { begin, type Stepped, step } from '../../machines/step.ts';
import type { Decisions } from './decision-table.ts';

export const effectsOf = ({ effects }: Pick<Stepped<AnyStateMachine>, 'effects'>): string[] =>
  effects.map(effectName);

/** Tests that the machine decides as the table says, and that the table is complete. */
export function decidesAs<Machine extends AnyStateMachine, Situation extends string, Name extends string>(
  table: Decisions<Machine, Situation, Name>,
): void {
  const { machine, invariants, situations, events, accepted, refused } = table;
  const everySituation = Object.keys(situations) as Situation[];
  const everyEvent = Object.keys(events) as Name[];
  const after = (situation: Situation, event: Name) => {
    const { state, context } = situations[situation];
    return step(machine, state, context, events[event]);
  };

  for (const [situation, event, next, effects, recorded] of accepted)
    test(`${machine.id} in ${situation}: ${event} leads to ${next}`, () => {
      const stepped = after(situation, event);
      if (stepped !== null) assertInvariants(machine, invariants, stepped);
      expect(stepped && { ...stepped, effects: effectsOf(stepped) }).toEqual({
        state: next,
        effects,
        context: { ...(situations[situation].context as object), ...recorded },
      });
    });

  test.each(everySituation)(`${machine.id} in %s: every other event is refused`, (situation) => {
    expect(refused[situation].filter((event) => after(situation, event) !== null)).toEqual([]);
  });

  test(`the table of ${machine.id} decides each event in each situation once`, () => {
    const decided = [
      ...accepted.map(([situation, event]) => `${situation}: ${event}`),
      ...everySituation.flatMap((situation) => refused[situation].map((event) => `${situation}: ${event}`)),
    ];
    const toDecide = everySituation.flatMap((situation) =>
      everyEvent.map((event) => `${situation}: ${event}`),
    );
    expect(new Set(decided)).toEqual(new Set(toDecide));
    expect(decided).toHaveLength(toDecide.length);
  });

  test(`the table of ${machine.id} has every state and no other`, () => {
    const states = new Set(everySituation.map((situation) => situations[situation].state));
    expect(states).toEqual(new Set(leafStatesOf(machine)));
  });

  test(`the table of ${machine.id} has every event and no other`, () => {
    const types = new Set(everyEvent.map((event) => events[event].type));
    expect(types).toEqual(new Set(machine.events));
  });

  test(`the table of ${machine.id} has exactly the transitions that the machine’s definition has`, () => {
    const taken = accepted.map(([situation, event, next, effects]) =>
      [situations[situation].state, events[event].type, next, ...effects].join(' '),
    );
    const drawn = arrowsOf(machine).map(({ from, event, to, effects }) =>
      [from, event, to, ...effects].join(' '),
    );
    expect(new Set(taken)).toEqual(new Set(drawn));
  });

  test(`the table of ${machine.id} has a refusing case for each guard`, () => {
    const guarded = arrowsOf(machine).filter(({ guard }) => guard !== null && guard !== 'otherwise');
    const unheard = guarded.filter(
      ({ from, event, to }) =>
        !everySituation.some(
          (situation) =>
            situations[situation].state === from &&
            everyEvent.some((name) => events[name].type === event && after(situation, name)?.state !== to),
        ),
    );
    expect(unheard).toEqual([]);
  });
}

/** Every state that the table's events can lead to from the first states of the inputs. */
export function reachableFrom<Machine extends AnyStateMachine>(
  machine: Machine,
  inputs: readonly InputFrom<Machine>[],
  events: Record<string, EventFromLogic<Machine>>,
): Set<string> {
  const reached = new Set<string>();
  for (const input of inputs) {
    const seen = new Map<string, Stepped<Machine>>();
    const ahead = [begin(machine, input)];
    for (let here = ahead.pop(); here !== undefined; here = ahead.pop()) {
      if (seen.has(here.state)) continue;
      seen.set(here.state, here);
      for (const event of Object.values(events)) {
        const next = step(machine, here.state, here.context, event);
        if (next !== null) ahead.push(next);
      }
    }
    for (const state of seen.keys()) reached.add(state);
  }
  return reached;
}
