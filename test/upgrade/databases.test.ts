// Whole databases of earlier versions are migrated and served, and all work in progress reaches a final state.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../scripts/free-port.ts';
import { sandboxSettings } from '../../scripts/local-stack.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import type { Service } from '../../src/start/start-service.ts';
import { createTestClock } from '../support/clock.ts';
import { call } from '../support/http.ts';
import { until } from '../support/until.ts';
import { startWatchedService } from '../support/watched-service.ts';
import { databases } from './fixtures.ts';
import { type Past, restore, upgrade } from './past.ts';

const PATIENCE_MS = 60_000;
describe.each(databases.map((database) => [database.name, database] as const))(
  'the database of %s',
  (_name, fixture) => {
    let past: Past;
    let service: Service;
    let url: string;

    beforeAll(async () => {
      past = await restore(fixture);
      await upgrade(past);
      const port = await freePort();
      url = `http://127.0.0.1:${port}`;
      const env = {
        ...sandboxSettings(past.sandbox.url),
        ...fixture.env,
        PORT: String(port),
        PUBLIC_BASE_URL: url,
        DATABASE_URL: past.database.url,
        DATABASE_POOL_SIZE: '10',
        WORKER_CONCURRENCY: '4',
      };
      service = await startWatchedService(env, createTestClock());
    }, PATIENCE_MS);
    afterAll(async () => {
      await service.stop();
      await past.sandbox.close();
      await past.database.drop();
    });

    const tokenOf = (person: string): string => fixture.people[person]?.token ?? '';

    test.each(fixture.asks.map((ask) => [ask.as, `${ask.method} ${ask.path}`, ask] as const))(
      '%s can %s',
      async (_as, _what, { as, method, path, key, body, answers = {} }) => {
        const headers = key === undefined ? {} : { 'idempotency-key': key };
        const said = { token: tokenOf(as), headers, ...(body && { json: body }) };
        const answer = await call({ url }, method, path, said);
        expect(answer).toMatchObject({ status: 200, body: answers });
      },
    );

    test.each(fixture.shows.map((show) => [show.as, show.path, JSON.stringify(show.with), show] as const))(
      '%s finally sees %s with %s',
      async (_as, _path, _with, { as, path, with: expected }) => {
        const look = async () => (await call({ url }, 'GET', path, { token: tokenOf(as) })).body;
        const seen = await until(look, (body) => matches(body, expected), PATIENCE_MS).catch(look);
        expect(seen).toMatchObject(expected);
      },
      PATIENCE_MS * 2,
    );

    test('each user is found by their subject, and each of their provider objects is recorded as theirs', async () => {
      const pool = createPool(past.database.url, 1);
      const { rows } = await pool.query(
        `select id from users where not exists (
           select from identity_users identity where identity.user_id = users.id
             and identity.auth_provider = users.auth_provider and identity.auth_subject = users.auth_subject)
         union all select provider_ref from (
           select provider_ref, kind::text, user_id from provider_resources where kind in ('owner', 'account')
           union all select provider_account_id, 'account', user_id from provider_accounts
           union all select provider_ref, 'movement', user_id from transactions
         ) known where provider_ref is not null
           and (provider_ref, kind, user_id) not in (select provider_ref, kind::text, user_id from provider_object_users)`,
      );
      await pool.end();
      expect(rows).toEqual([]);
    });

    test.each(fixture.finds.map((find) => [find.sql, find.rows] as const))(
      'the database finally answers: %s',
      async (query, expected) => {
        const pool = createPool(past.database.url, 1);
        const look = async () => (await pool.query(query)).rows;
        const seen = await until(look, (rows) => matches(rows, expected), PATIENCE_MS).catch(look);
        await pool.end();
        expect(seen).toEqual(expected);
      },
      PATIENCE_MS * 2,
    );
  },
);

const matches = (seen: unknown, expected: object): boolean => {
  try {
    expect(seen).toMatchObject(expected);
    return true;
  } catch {
    return false;
  }
};
