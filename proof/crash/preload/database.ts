// The points of the database: every transaction that writes, and every single statement that writes, of ours and of the
// queue's, intercepted at the client that all of them use.
import { Client } from 'pg';
import { actor, jobsNamed, nameJob } from './actor.ts';
import { reach } from './points.ts';
import { readStatement } from './statements.ts';

type Query = { text: string; values: unknown[] };
type Result = { rows: Record<string, unknown>[] };
type Send = (...args: unknown[]) => unknown;

const writesUnderWay = new WeakMap<object, string[]>();
const tasks = new Map<unknown, string>();

export function watchDatabase(): void {
  // Called with the client it belongs to.
  // oxlint-disable-next-line typescript/unbound-method
  const send = Client.prototype.query as unknown as Send;
  const watched = function watched(this: object, ...args: unknown[]): unknown {
    const query = queryIn(args);
    if (query === null) return Reflect.apply(send, this, args);
    const callback =
      typeof args.at(-1) === 'function' ? (args.at(-1) as (...outcome: unknown[]) => void) : null;
    const asked = callback ? args.slice(0, -1) : args;
    const answer = answerOf(this, query, () => Reflect.apply(send, this, asked) as Promise<Result>, send);
    if (!callback) return answer;
    answer.then(
      (result) => callback(null, result),
      (error: unknown) => callback(error),
    );
  };
  Client.prototype.query = watched as unknown as typeof Client.prototype.query;
}

async function answerOf(
  client: object,
  query: Query,
  ask: () => Promise<Result>,
  send: Send,
): Promise<Result> {
  const statement = readStatement(query.text);
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
      return writes.length === 0 ? ask() : around([`commit: ${writes.join(', ')} (${actor()})`], ask);
    }
    case 'take':
      return take(client, ask, send);
    case 'read': {
      const result = await ask();
      if (query.text.includes('_private_tasks')) learnTasks(result);
      return result;
    }
    case 'complete':
      return around(
        jobsNamed([query.values[0]].flat().map(String)).map((label) => `completing job ${label}`),
        ask,
      );
    case 'write': {
      const underWay = writesUnderWay.get(client);
      if (!underWay) return around([`statement: ${statement.writes.join(', ')} (${actor()})`], ask);
      underWay.push(...statement.writes.filter((write) => !underWay.includes(write)));
      return ask();
    }
  }
}

/** Several items of one statement, several jobs, say, are a point each: how many come together depends on timing. */
async function around(all: string[], ask: () => Promise<Result>): Promise<Result> {
  for (const what of all) reach(`before ${what}`);
  const result = await ask();
  for (const what of all) reach(`after ${what}`);
  return result;
}

// Which job it takes shows only in the answer. In a transaction of its own it can still be rolled back then.
async function take(client: object, ask: () => Promise<Result>, send: Send): Promise<Result> {
  const run = (sql: string) => Reflect.apply(send, client, [sql]) as Promise<Result>;
  await run('begin');
  const result = await ask().catch(async (error: unknown) => {
    await run('rollback');
    throw error;
  });
  const jobs = result.rows.map((row) => ({ id: String(row['id']), label: labelOf(row) }));
  for (const { label } of jobs) reach(`before taking job ${label}`);
  await run('commit');
  for (const { id, label } of jobs) nameJob(id, label);
  for (const { label } of jobs) reach(`after taking job ${label}`);
  return result;
}

/** A job's flag is the type of its effect; other jobs are named by their task. */
function labelOf({ flags, task_id: taskId }: Record<string, unknown>): string {
  const [flag] = Object.keys((flags as object | null) ?? {});
  return flag ?? tasks.get(taskId) ?? 'a job';
}

function learnTasks({ rows }: Result): void {
  for (const { id, identifier } of rows) if (typeof identifier === 'string') tasks.set(id, identifier);
}

function queryIn([first, second]: unknown[]): Query | null {
  if (typeof first === 'string') return { text: first, values: Array.isArray(second) ? second : [] };
  // A cursor or another object that submits itself is not used here.
  if (typeof first !== 'object' || first === null || 'submit' in first) return null;
  const { text, values } = first as Partial<Query>;
  return typeof text === 'string' ? { text, values: values ?? (Array.isArray(second) ? second : []) } : null;
}
