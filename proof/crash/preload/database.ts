// The points of the database: every transaction that writes, and every single statement that writes, intercepted at the
// client that all of them use.
import { Client } from 'pg';
import { actor } from './actor.ts';
import { reach } from './points.ts';
import { readStatement } from './statements.ts';

type Send = (...args: unknown[]) => unknown;

const writesUnderWay = new WeakMap<object, string[]>();

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
      writesUnderWay.set(client, []);
      return ask();
    case 'rollback':
      writesUnderWay.delete(client);
      return ask();
    case 'commit': {
      const writes = writesUnderWay.get(client) ?? [];
      writesUnderWay.delete(client);
      return writes.length === 0 ? ask() : around(`commit: ${writes.join(', ')} (${actor()})`, ask);
    }
    case 'read':
      return ask();
    case 'write': {
      const underWay = writesUnderWay.get(client);
      if (!underWay) return around(`statement: ${statement.writes.join(', ')} (${actor()})`, ask);
      underWay.push(...statement.writes.filter((write) => !underWay.includes(write)));
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
