// A process whose circuit opens reports it once in the log and in a row. It deletes its row and those of dead processes again.
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../src/domain/clock.ts';
import { createCircuitNotice } from '../../src/metrics/circuit-notice.ts';
import { byTable } from '../support/by-table.ts';
import { useOrm } from '../support/use-database.ts';

const database = useOrm();
const lines: { level: number; code: string; circuit: string; reason?: string }[] = [];
const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line) as never) });

afterEach(() => lines.splice(0));

const rows = () => byTable(database.db).selectFrom('open_circuits').select(['process', 'reason']).execute();

test('each circuit writes a log line when it opens and closes, and one row shows those that are open', async () => {
  const dead = { process: 'dead:1', opened_at: new Date(0), heartbeat_at: new Date(0), reason: 'x' };
  await byTable(database.db).insertInto('open_circuits').values(dead).execute();
  const notice = createCircuitNotice({ db: database.db, log, clock: systemClock });
  notice.opened('getAccount', 'no usable answer');
  await expect.poll(rows).toContainEqual({
    process: expect.stringMatching(new RegExp(`:${process.pid}$`)) as unknown,
    reason: 'getAccount (no usable answer)',
  });
  notice.opened('createQuote', 'answered 503');
  await expect
    .poll(rows)
    .toMatchObject([{}, { reason: 'getAccount (no usable answer); createQuote (answered 503)' }]);
  notice.closed('getAccount');
  await expect.poll(rows).toMatchObject([{}, { reason: 'createQuote (answered 503)' }]);
  notice.closed('createQuote');
  await expect.poll(rows).toEqual([]);
  expect(lines.map(({ level, code, circuit, reason }) => [level, code, circuit, reason])).toEqual([
    [50, 'provider.circuit_opened', 'getAccount', 'no usable answer'],
    [50, 'provider.circuit_opened', 'createQuote', 'answered 503'],
    [30, 'provider.circuit_closed', 'getAccount', undefined],
    [30, 'provider.circuit_closed', 'createQuote', undefined],
  ]);
});

test('stopping deletes the row, however soon after the opening it happens', async () => {
  const notice = createCircuitNotice({ db: database.db, log, clock: systemClock });
  notice.opened('getAccount', 'x');
  await notice.stop();
  expect(await rows()).toEqual([]);
  await notice.stop();
});

test('if a circuit opens again before its first row was written, the last opening counts', async () => {
  const notice = createCircuitNotice({ db: database.db, log, clock: systemClock });
  notice.opened('getAccount', 'first');
  notice.closed('getAccount');
  notice.opened('getAccount', 'second');
  await expect.poll(rows).toMatchObject([{ reason: 'getAccount (second)' }]);
  await notice.stop();
  expect(await rows()).toEqual([]);
});
