// A migration adds columns while the service works: no request fails, and no call to the provider has an unknown outcome.
import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { noDeadlines } from '../../src/platform/database/deadlines.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { gbp } from '../support/bank-details.ts';
import { call } from '../support/http.ts';
import { capturedAt } from '../support/leak-watch.ts';
import { mintIdToken, type Person, verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';

const PEOPLE = 4;
const PATIENCE_MS = 240_000;
/** The number of rounds of requests that each user makes before, between and after the changes. */
const ROUNDS = 2;

let owner: Pool;
let people: Person[];

const { world } = useWorld();
beforeAll(async () => {
  owner = createPool(world.databaseUrl, 1, noDeadlines);
  people = await Promise.all(Array.from({ length: PEOPLE }, () => verified(world, { deposit: '5000.00' })));
}, PATIENCE_MS);
afterAll(async () => {
  await owner.end();
});

test(
  'adding columns to every table, twice, fails no request and leaves no outcome unknown',
  async () => {
    const working = people.map(repeatRequests);
    const roundsOf = () => Math.min(...working.map(({ rounds }) => rounds()));
    const hasRepeated = async () => {
      const before = roundsOf();
      await until(
        async () => roundsOf(),
        (rounds) => rounds >= before + ROUNDS,
        PATIENCE_MS,
      );
    };

    await hasRepeated();
    for (const column of ['first_added', 'second_added']) {
      for (const table of await tables()) await owner.query(`alter table ${table} add column ${column} int`);
      await hasRepeated();
    }
    const answers = (await Promise.all(working.map(({ end }) => end()))).flat();

    expect(answers.filter(({ status, code }) => status >= 500 && code !== 'overloaded')).toEqual([]);
    expect(new Set(answers.filter(({ status }) => status < 300).map(({ what }) => what))).toEqual(
      new Set(answers.map(({ what }) => what)),
    );
    await until(unfinished, (count) => count === 0, PATIENCE_MS);
    expect(await unknownOutcomes()).toEqual([]);
    expect(logged('effect.outcome_unknown', 'cached plan')).toEqual([]);
  },
  PATIENCE_MS * 2,
);

type Answer = { what: string; status: number; code: unknown };

/** Repeats every kind of request of a user. Callbacks, claims and polls follow from them. */
function repeatRequests(person: Person) {
  const answers: Answer[] = [];
  let rounds = 0;
  let isEnding = false;
  const ask = async (method: string, path: string, json?: object): Promise<Record<string, unknown>> => {
    const { status, body } = await call(world, method, path, {
      token: person.token,
      ...(json && { json }),
    });
    answers.push({ what: `${method} ${path.replace(/[0-9a-f-]{36}/, '{id}')}`, status, code: body['code'] });
    return body;
  };
  const repeating = (async () => {
    while (!isEnding) {
      await round(person, ask);
      rounds += 1;
    }
  })();
  return {
    rounds: () => rounds,
    end: async () => {
      isEnding = true;
      await repeating;
      return answers;
    },
  };
}

type Ask = (method: string, path: string, json?: object) => Promise<Record<string, unknown>>;

async function round(person: Person, ask: Ask): Promise<void> {
  const idToken = await mintIdToken(world, 'b', { subject: randomUUID() });
  await ask('POST', '/auth/session', { provider: 'identity_provider_b', idToken });
  await ask('PATCH', '/me', { displayName: `Ada ${randomUUID().slice(0, 8)}` });
  await ask('POST', '/bank-details', gbp);
  const quote = await ask('POST', '/pix/quote', { amountBrl: 20 });
  const payment = await ask('POST', '/pix/payments', {
    quoteId: quote['quoteId'],
    pixKey: '52998224725',
    pixKeyType: 'cpf',
  });
  const withdrawal = await ask('POST', '/withdraws', { amount: 1 });
  await Promise.all([
    ask('GET', '/me'),
    ask('GET', '/kyc/status'),
    ask('GET', '/bank-details'),
    ask('GET', '/transactions'),
    ask('GET', `/transactions/${String(withdrawal['id'])}`),
    ask('GET', '/pix/payments'),
    ask('GET', `/pix/payments/${String(payment['pixPaymentId'])}`),
    ask('GET', '/withdraws'),
  ]);
}

/** Lists the tables. A partition gets the columns of its table. */
const tables = async (): Promise<string[]> => {
  const { rows } = await owner.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`,
  );
  return rows.map(({ name }) => name);
};

const unfinished = async (): Promise<number> => {
  const { rows } = await owner.query<{ count: number }>(
    `select (select count(*) from pix_payments where state <> 'completed')
       + (select count(*) from withdraws where state <> 'completed') as count`,
  );
  return rows[0]?.count ?? 0;
};

const unknownOutcomes = async (): Promise<object[]> =>
  (await owner.query<object>('select type, last_error from effects where last_unknown_at is not null')).rows;

const logged = (...parts: string[]): string[] =>
  capturedAt('the log')
    .split('\n')
    .filter((line) => parts.some((part) => line.includes(part)));
