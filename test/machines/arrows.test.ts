// The transitions that are derived from a machine's definition, tested with a machine that has one of each kind.
import { expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import {
  type Arrow,
  arrowsOf,
  beginningOf,
  effectName,
  leafStatesOf,
  statesOf,
  statesTagged,
} from '../../machines/arrows.ts';

const { createMachine } = setup({
  types: { context: {} as { count: number }, tags: {} as 'unfinished' },
  actions: {
    open: () => undefined,
    send: (_action, _params: { leg: string }) => undefined,
    close: () => undefined,
    note: assign({ count: 1 }),
  },
  guards: { isFirst: () => true },
});

const machine = createMachine({
  id: 'example',
  context: { count: 0 },
  initial: 'outer',
  on: { leave: '.done' },
  states: {
    outer: {
      tags: 'unfinished',
      description: 'Has two inside.',
      entry: 'open',
      initial: 'one',
      on: { stop: { target: 'done', actions: ['note', 'close'] } },
      states: {
        one: {
          entry: { type: 'send', params: { leg: 'one' } },
          on: {
            next: [{ guard: 'isFirst', target: 'two' }, { target: '#example.done' }],
            again: { target: 'one', reenter: true },
            stay: { actions: ['note', 'close'] },
          },
        },
        two: { on: { back: { guard: 'isFirst', target: '#example.outer' } } },
      },
    },
    done: { description: 'Is over.', entry: 'close' },
  },
});

const arrow = (from: string, event: string, guard: string | null, to: string, effects: string[]): Arrow => ({
  from,
  event,
  guard,
  to,
  effects,
});

test('arrows have the guard, the first state inside the target and the effects of entering it', () => {
  expect(arrowsOf(machine)).toEqual([
    arrow('outer.one', 'leave', null, 'done', ['close']),
    arrow('outer.one', 'stop', null, 'done', ['close', 'close']),
    arrow('outer.one', 'next', 'isFirst', 'outer.two', []),
    arrow('outer.one', 'next', 'otherwise', 'done', ['close']),
    arrow('outer.one', 'again', null, 'outer.one', ['send:one']),
    arrow('outer.one', 'stay', null, 'outer.one', ['close']),
    arrow('outer.two', 'leave', null, 'done', ['close']),
    arrow('outer.two', 'stop', null, 'done', ['close', 'close']),
    arrow('outer.two', 'back', 'isFirst', 'outer.one', ['send:one']),
    arrow('done', 'leave', null, 'done', ['close']),
  ]);
});

test('a machine begins in its first state, with the effects of every state around it', () => {
  expect(beginningOf(machine)).toEqual({ to: 'outer.one', effects: ['open', 'send:one'] });
});

test('states have their descriptions and the states inside them', () => {
  expect(statesOf(machine)).toEqual([
    {
      name: 'outer',
      description: 'Has two inside.',
      children: [
        { name: 'outer.one', description: '', children: [] },
        { name: 'outer.two', description: '', children: [] },
      ],
    },
    { name: 'done', description: 'Is over.', children: [] },
  ]);
});

test('rows are in states without children, which have the tags of the states around them', () => {
  expect(leafStatesOf(machine)).toEqual(['outer.one', 'outer.two', 'done']);
  expect(statesTagged(machine, 'unfinished')).toEqual(['outer.one', 'outer.two']);
});

test.each<[unknown, string]>([
  ['open', 'open'],
  [{ type: 'open' }, 'open'],
  [{ type: 'open', params: null }, 'open'],
  [{ type: 'send', params: { leg: 'one', attempt: 2 } }, 'send:one:2'],
  [null, 'null'],
])('the effect %j is called %s', (effect, name) => {
  expect(effectName(effect)).toBe(name);
});
