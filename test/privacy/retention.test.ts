// The retention periods, from moments of the database's clock.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DatabaseTime } from '../../src/platform/database/database-time.ts';
import {
  callbacksRemovedUpTo,
  dataRequestDueAt,
  hardDeletionDueAt,
  payloadsRemovedBefore,
  payloadsRemovedUpTo,
  workRemovedUpTo,
} from '../../src/privacy/retention.ts';
import { momentsOfDatabase } from '../support/database-time.ts';

const at = await momentsOfDatabase();
const text = (moment: DatabaseTime): string => moment.toDate().toISOString();

test.each([
  ['2026-11-21T06:38:24.123Z', '2032-11-21T06:38:24.123Z'],
  ['2028-02-29T12:00:00.000Z', '2034-02-28T12:00:00.000Z'],
  ['2026-02-28T00:00:00.000Z', '2032-02-28T00:00:00.000Z'],
  ['2026-12-31T23:59:59.999Z', '2032-12-31T23:59:59.999Z'],
  ['2028-03-01T00:00:00.000Z', '2034-03-01T00:00:00.000Z'],
])('an account closed at %s is erased at %s', (closedAt, due) => {
  const moment = at(closedAt);
  expect(text(hardDeletionDueAt(moment))).toBe(due);
  expect(text(moment)).toBe(closedAt);
});

test('the year of an erasure is six years later, and its month and time of day are the same', () => {
  const anyDate = fc.date({ min: new Date('2020-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(anyDate, (closedAt) => {
      const due = hardDeletionDueAt(at(closedAt)).toDate();
      expect(due.getUTCFullYear()).toBe(closedAt.getUTCFullYear() + 6);
      expect(due.getUTCMonth()).toBe(closedAt.getUTCMonth());
      expect(due.toISOString().slice(10)).toBe(closedAt.toISOString().slice(10));
    }),
  );
});

test.each([
  ['2026-11-21T06:38:24.123Z', '2026-12-21T06:38:24.123Z'],
  ['2028-02-01T00:00:00.000Z', '2028-03-02T00:00:00.000Z'],
])('a request received at %s is due at %s', (receivedAt, due) => {
  expect(text(dataRequestDueAt(at(receivedAt)))).toBe(due);
});

test.each([
  ['payloads of callbacks', payloadsRemovedUpTo, '2026-08-23T06:38:24.123Z'],
  ['finished work', workRemovedUpTo, '2026-08-23T06:38:24.123Z'],
  ['callbacks', callbacksRemovedUpTo, '2020-11-21T06:38:24.123Z'],
])('%s are removed after the period that the law requires', (_what, upTo, moment) => {
  expect(text(upTo(at('2026-11-21T06:38:24.123Z')))).toBe(moment);
});

test.each([
  ['2026-11-21T00:00:00.000Z', '2026-08-23T00:00:00.000Z'],
  ['2026-11-21T23:59:59.999Z', '2026-08-23T00:00:00.000Z'],
])('at %s the payloads of whole days are removed, up to %s', (moment, before) => {
  expect(text(payloadsRemovedBefore(at(moment)))).toBe(before);
});
