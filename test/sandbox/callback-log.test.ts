// The callbacks in memory, and the rows of the outbox. One callback can have several rows.
import { expect, test } from 'vitest';
import { createCallbackLog, type NewCallback } from '../../sandbox/callback-log.ts';

const callback: NewCallback = {
  event: 'movement.created',
  resource: 'accounts',
  uuid: '01a20831-fe5b-74af-b731-8ec73b0318bb',
  body: '{"event":"movement.created"}',
  createdAt: 0,
};

test('a delivered callback is found by its row until the row is deleted, even after it is sent again', () => {
  const log = createCallbackLog();
  const { id } = log.stored(1, 0, callback);
  log.change(id, { state: 'delivered' });
  log.change(id, { row: 2, state: 'waiting' });
  expect([1, 2].map((row) => log.ofRow(row)?.id)).toEqual([id, id]);

  log.rowDeleted(1);
  expect([1, 2].map((row) => log.ofRow(row)?.id)).toEqual([undefined, id]);
  expect(log.get(id)).toMatchObject({ row: 2, state: 'waiting' });

  log.rowDeleted(2);
  expect(log.ofRow(2)).toBeUndefined();
  expect(log.get(id)).toMatchObject({ row: null, state: 'waiting' });
});
