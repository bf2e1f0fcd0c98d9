// Tests a contestation against the table of its decisions, and what the whole machine allows.
import { expect, test } from 'vitest';
import { beginningOf, leafStatesOf } from '../../machines/arrows.ts';
import { contestationMachine } from '../../machines/contestation.machine.ts';
import { decisions } from './contestation.decisions.ts';
import { decidesAs, reachableFrom } from './decisions.ts';

decidesAs(decisions);

test('a contestation begins without an effect, because the request asks the provider', () => {
  expect(beginningOf(contestationMachine)).toEqual({ to: 'requested', effects: [] });
});

test('a contestation can reach every state', () => {
  expect(reachableFrom(contestationMachine, [undefined], decisions.events)).toEqual(
    new Set(leafStatesOf(contestationMachine)),
  );
});
