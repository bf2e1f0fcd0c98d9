// The names of crash points, the choice of samples, and the match between the committed list and the flows.
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { flows } from '../../proof/crash/flows.ts';
import { differences, readLists, sampleOf } from '../../proof/crash/lists.ts';
import { standIns } from '../../proof/crash/preload/stand-ins.ts';
import { readStatement } from '../../proof/crash/preload/statements.ts';

/** The rest of each point's name after `before` or `after`, over all flows. */
const sides = (side: 'before' | 'after'): string[] =>
  Object.values(readLists()).flatMap((points) =>
    points.filter((point) => point.startsWith(`${side} `)).map((point) => point.slice(side.length)),
  );

test.each<[string, string[]]>([
  ['insert into "pix_quotes" ("id") values ($1)', ['insert pix_quotes']],
  ['INSERT INTO a VALUES (1) ON CONFLICT (id) DO UPDATE SET x = 1', ['insert a']],
  ['update "users"\nset "balance_minor" = $1', ['update users']],
  ['delete from "public"."data_keys" where x', ['delete data_keys']],
  [
    `with stored as (insert into webhook_events (id) values ($1) returning id)
      update a set x =\n $2 from stored`,
    ['insert webhook_events', 'update a'],
  ],
  [
    `with closed as (update webhook_events set status = $1 where id = $2 returning id),
      archived as (insert into webhook_payloads (event_id) select id from closed) select id from closed`,
    ['update webhook_events', 'insert webhook_payloads'],
  ],
  [
    'update effects set leased_by = null, lease_token = lease_token + 1, due_at = now() where leased_by = $1',
    ['update effects'],
  ],
  [
    'insert into "job_runs" ("job") values ($1) on conflict ("job", "run") do update set "position" = $2',
    ['insert job_runs'],
  ],
  ['insert into a values (1); insert into b values (2); insert into a values (3)', ['insert a', 'insert b']],
])('a writing statement is named after its writes: %s', (sql, writes) => {
  expect(readStatement(sql)).toEqual({ kind: 'write', writes });
});

test.each([
  ['begin', 'begin'],
  ['start transaction isolation level read committed', 'begin'],
  ['COMMIT', 'commit'],
  ['rollback', 'rollback'],
  ['select * from "users" where "id" = $1 for no key update', 'read'],
  ['with beat as (update processes set heartbeat = heartbeat + 1) select id from processes', 'read'],
  ['insert into processes (id) values ($1) on conflict do nothing', 'read'],
  ['update effects set leased_by = $3, lease_token = lease_token + 1 from fair', 'read'],
  ['update "job_runs" set "leased_by" = $1, "lease_token" = lease_token + 1, "started_at" = $2', 'read'],
  ['update webhook_events set lease_token = lease_token + 1 where id = $1', 'read'],
  ['insert into "job_runs" ("job") values ($1) on conflict ("job", "run") do nothing', 'read'],
])('the statement %s is a %s', (sql, kind) => {
  expect(readStatement(sql).kind).toBe(kind);
});

// A stand-in for another module would replace nothing, and hide the points that it must name.
test.each(standIns)(
  'the stand-in of $of replaces a module that the service imports',
  ({ of, importedBy }) => {
    const importers = importedBy === undefined ? globSync('src/**/*.ts') : [importedBy];
    const isImported = importers.some((importer) => {
      const imported = posix.relative(posix.dirname(importer), of).replace(/^(?!\.)/, './');
      return readFileSync(importer, 'utf8').includes(`from '${imported}'`);
    });
    expect(isImported).toBe(true);
  },
);

test('the list of crash points has every flow, and no point twice', () => {
  const lists = readLists();
  expect(Object.keys(lists).toSorted()).toEqual(flows.map(({ name }) => name).toSorted());
  for (const points of Object.values(lists)) {
    expect(points.length).toBeGreaterThan(0);
    expect(new Set(points).size).toBe(points.length);
  }
});

test('the list of crash points names both sides of each commit', () => {
  expect(sides('before').toSorted()).toEqual(sides('after').toSorted());
});

test('the list of crash points is compared with the reached points in both directions', () => {
  expect(differences(['a', 'b'], ['b', 'a'])).toEqual([]);
  expect(differences(['a', 'b'], ['b', 'c'])).toEqual(['listed, and not met: a', 'met, and not listed: c']);
});

test('a sample of crash points is the same for the same seed, and draws from as many flows as it can', () => {
  const lists = readLists();
  const sample = sampleOf(lists, flows.length, 7);
  expect(Object.values(sample).map(({ length }) => length)).toEqual(flows.map(() => 1));
  expect(sampleOf(lists, flows.length, 7)).toEqual(sample);
  expect(sampleOf(lists, flows.length, 8)).not.toEqual(sample);
  const drawn = (seed: number) =>
    Object.entries(sampleOf(lists, 3, seed)).flatMap(([flow, points]) => (points.length > 0 ? [flow] : []));
  expect(drawn(7)).toHaveLength(3);
  expect(drawn(8)).not.toEqual(drawn(7));
  expect(Object.values(sampleOf(lists, 1e6, 7)).flat()).toHaveLength(Object.values(lists).flat().length);
});
