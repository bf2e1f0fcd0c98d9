// The writes of an SQL statement, in words that are the same in every run: its verbs and tables, never a value.

export type Statement =
  | { kind: 'begin' | 'commit' | 'rollback' | 'read' }
  | { kind: 'write'; writes: string[] };

export function readStatement(sql: string): Statement {
  const text = sql.replaceAll('"', '').replaceAll(/\s+/g, ' ').trim().toLowerCase();
  if (/^(begin|start transaction)\b/.test(text)) return { kind: 'begin' };
  if (/^(commit|end)\b/.test(text)) return { kind: 'commit' };
  if (/^rollback\b(?! to)/.test(text)) return { kind: 'rollback' };
  if (byTheClock.some((statement) => statement.test(text))) return { kind: 'read' };
  const writes = writesIn(text);
  return writes.length > 0 ? { kind: 'write', writes } : { kind: 'read' };
}

// Statements that every process runs by the clock, whatever there is to do: no run could list them. A claim needs no crash point: a
// crash right after its commit also leaves work that is leased and not begun.
const byTheClock = [
  /\b(insert into|update) processes\b/,
  /\bset leased_by = \$\d+, lease_token = lease_token \+ 1\b/,
  /\bset lease_token = lease_token \+ 1 where\b/,
  /\binsert into job_runs\b.* do nothing\b/,
];

const write =
  /\binsert into (?<inserted>[\w.]+)|\bupdate (?:only )?(?<updated>[\w.]+)(?: as \w+)? set\b|\bdelete from (?<deleted>[\w.]+)/g;

/** Each table written, once for each verb, in the order in which it is first written. */
const writesIn = (text: string): string[] => [
  ...new Set([...text.matchAll(write)].map(({ groups = {} }) => wordsFor(groups))),
];

function wordsFor({ inserted, updated, deleted }: Record<string, string | undefined>): string {
  if (inserted) return `insert ${bare(inserted)}`;
  return updated ? `update ${bare(updated)}` : `delete ${bare(deleted ?? '')}`;
}

const bare = (table: string): string => table.slice(table.lastIndexOf('.') + 1);
