// The writes of an SQL statement, in words that are the same in every run: its verbs and tables, never a value.

export type Statement =
  | { kind: 'begin' | 'commit' | 'rollback' | 'read' }
  /** The queue polls for jobs, and locks those it finds. */
  | { kind: 'take' }
  /** The queue deletes completed jobs. */
  | { kind: 'complete' }
  | { kind: 'write'; writes: string[] };

export function readStatement(sql: string): Statement {
  const text = sql.replaceAll('"', '').replaceAll(/\s+/g, ' ').trim().toLowerCase();
  if (/^(begin|start transaction)\b/.test(text)) return { kind: 'begin' };
  if (/^(commit|end)\b/.test(text)) return { kind: 'commit' };
  if (/^rollback\b(?! to)/.test(text)) return { kind: 'rollback' };
  if (housekeeping.test(text)) return { kind: 'read' };
  if (/\bskip locked\b.*\bupdate graphile_worker\._private_jobs\b/.test(text)) return { kind: 'take' };
  if (/\bdelete from graphile_worker\._private_jobs\b/.test(text)) return { kind: 'complete' };
  if (/\bgreatest\(0, attempts - 1\)/.test(text)) return { kind: 'write', writes: ['return job'] };
  const writes = writesIn(text);
  return writes.length > 0 ? { kind: 'write', writes } : { kind: 'read' };
}

// Statements that the queue and the service run at every start, or by the clock and nearly always without effect: no run
// could list them.
const housekeeping =
  /insert into graphile_worker\._private_tasks|_private_known_crontabs|locked_at < \S+ - interval '4 hours'|graphile_worker\.reschedule_jobs/;

const write =
  /\binsert into (?<inserted>[\w.]+)|\bupdate (?:only )?(?<updated>[\w.]+)(?: as \w+)? set\b|\bdelete from (?<deleted>[\w.]+)|\bgraphile_worker\.add_job\( ?'(?<added>\w+)'|\bgraphile_worker\.(?<called>\w+)\(/g;

/** Each thing written, once, in the order in which it is first written. */
const writesIn = (text: string): string[] => [
  ...new Set([...text.matchAll(write)].map(({ groups = {} }) => wordsFor(groups))),
];

function wordsFor({ inserted, updated, deleted, added, called }: Record<string, string | undefined>): string {
  if (inserted) return `insert ${bare(inserted)}`;
  if (updated) return bare(updated) === '_private_jobs' ? 'fail job' : `update ${bare(updated)}`;
  if (deleted) return `delete ${bare(deleted)}`;
  return added ? 'add job' : (called ?? '').replaceAll('_', ' ');
}

const bare = (table: string): string => table.slice(table.lastIndexOf('.') + 1);
