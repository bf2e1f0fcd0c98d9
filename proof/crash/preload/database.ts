// The points of the database: every transaction that writes, and every single statement that writes (see named/statement-names.ts).
import type { Query } from '../../../src/platform/database/patches/connection.ts';
import { actor } from './actor.ts';
import { reach } from './points.ts';
import { readStatement } from './statements.ts';

/** The open transaction of each client. A commit is named after the actors that wrote in it. */
const underWay = new WeakMap<object, { writes: Set<string>; actors: Set<string> }>();

type Ask = () => Promise<unknown> | undefined;
type Answered = (error: unknown, result?: unknown) => void;

/**
 * @returns the same query, which reaches a point before and after each write of this client.
 * @throws for a query that is not a text: it would have no points.
 */
export const withPoints =
  (client: object, query: Query): Query =>
  (text, ...rest) => {
    if (typeof text !== 'string') throw new Error('a query without a text has no points');
    const answered = rest.at(-1);
    if (typeof answered !== 'function') return answerOf(client, text, () => query(text, ...rest));
    const tell = answered as Answered;
    answerOf(client, text, () => query(text, ...rest.slice(0, -1))).then(
      (result) => tell(null, result),
      tell,
    );
  };

async function answerOf(client: object, text: string, ask: Ask): Promise<unknown> {
  const statement = readStatement(text);
  switch (statement.kind) {
    case 'begin':
      underWay.set(client, { writes: new Set(), actors: new Set() });
      return ask();
    case 'rollback':
      underWay.delete(client);
      return ask();
    case 'commit': {
      const { writes, actors } = underWay.get(client) ?? { writes: new Set(), actors: new Set() };
      underWay.delete(client);
      if (writes.size === 0) return ask();
      return around(`commit: ${[...writes].join(', ')} (${[...actors].join(', ')})`, ask);
    }
    case 'read':
      return ask();
    case 'write': {
      const transaction = underWay.get(client);
      if (!transaction) return around(`statement: ${statement.writes.join(', ')} (${actor()})`, ask);
      for (const write of statement.writes) transaction.writes.add(write);
      transaction.actors.add(actor());
      return ask();
    }
  }
}

async function around(what: string, ask: Ask): Promise<unknown> {
  reach(`before ${what}`);
  const result = await ask();
  reach(`after ${what}`);
  return result;
}
