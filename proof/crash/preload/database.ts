// The points of the database: every transaction that writes, and every single statement that writes, intercepted at the
// client that all of them use.
import { Client } from 'pg';
import { actor } from './actor.ts';
import { reach } from './points.ts';
import { readStatement } from './statements.ts';

type Send = (...args: unknown[]) => unknown;

/** Of each client's transaction. A commit has the names of those who wrote in it. */
const underWay = new WeakMap<object, { writes: Set<string>; actors: Set<string> }>();

export function watchDatabase(): void {
  // Called with the client it belongs to.
  // oxlint-disable-next-line typescript/unbound-method
  const send = Client.prototype.query as unknown as Send;
  const watched = function watched(this: object, ...args: unknown[]): unknown {
    const text = textIn(args);
    if (text === null) return Reflect.apply(send, this, args);
    const callback =
      typeof args.at(-1) === 'function' ? (args.at(-1) as (...outcome: unknown[]) => void) : null;
    const asked = callback ? args.slice(0, -1) : args;
    const answer = answerOf(this, text, () => Reflect.apply(send, this, asked) as Promise<unknown>);
    if (!callback) return answer;
    answer.then(
      (result) => callback(null, result),
      (error: unknown) => callback(error),
    );
  };
  Client.prototype.query = watched as unknown as typeof Client.prototype.query;
}

async function answerOf(client: object, text: string, ask: () => Promise<unknown>): Promise<unknown> {
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

async function around(what: string, ask: () => Promise<unknown>): Promise<unknown> {
  reach(`before ${what}`);
  const result = await ask();
  reach(`after ${what}`);
  return result;
}

function textIn([first]: unknown[]): string | null {
  if (typeof first === 'string') return first;
  // A cursor or another object that submits itself is not used here.
  if (typeof first !== 'object' || first === null || 'submit' in first) return null;
  const { text } = first as { text?: unknown };
  return typeof text === 'string' ? text : null;
}
