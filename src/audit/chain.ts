// Recomputes the hash chain of the audit log and compares it with the hashes that the database's trigger wrote (src/tables/migrations).
import { createHash } from 'node:crypto';
import { type ChainedRow, listChainedRows } from '../tables/audit-events/statements.ts';
import type { Db } from '../tables/orm.ts';
import { findRolledBack } from './rolled-back.ts';

export const BEGINNING = '0'.repeat(64);
/** How many rows one statement reads. */
export const PAGE = 2_000;

/** Returns SHA-256 in hex over every column, each preceded by its length in bytes, or `-` for null. */
function hashOf(row: ChainedRow): string {
  const { seq, previousHash, id, at, recordedAt, action, userId, requestId, details } = row;
  const fields = [String(seq), previousHash, id, at.toISOString(), action, userId, requestId, details];
  if (recordedAt !== null) fields.push(recordedAt.toISOString());
  const text = fields.map((field) => (field === null ? '-' : `${Buffer.byteLength(field)}:${field}`));
  return createHash('sha256').update(text.join('\n')).digest('hex');
}

/** The last row of the chain. Operators keep it outside the database, because removing the last rows leaves a valid chain. */
export type Head = { seq: number; hash: string };

export const headText = ({ seq, hash }: Head): string => `${seq}:${hash}`;

export function headOf(text: string): Head | null {
  const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  return seq === undefined || hash === undefined ? null : { seq: Number(seq), hash };
}

export type Verdict = {
  rows: number;
  head: Head;
  broken: { seq: number; why: string } | null;
  /** The number of rows whose own time and the database's time differ too much (see `isMisdated`). */
  misdated: number;
  /** One sentence for each bank details row that was put back to a former version. */
  rolledBack: string[];
};

/**
 * Reads the whole audit log in pages and stops at the first row that is not as it was written.
 * @param notedHead a head that was noted earlier; the chain must still contain it.
 * @param from the number of the first row to check, for continuing behind a break. The row's link to
 *   its predecessor is not checked.
 */
export async function verifyChain(
  db: Db,
  {
    notedHead,
    from = 1,
    onProgress,
    signal,
  }: {
    notedHead?: Head | undefined;
    from?: number;
    onProgress?: (rows: number) => void;
    signal?: AbortSignal;
  } = {},
): Promise<Verdict> {
  let head: Head = { seq: from - 1, hash: BEGINNING };
  let rows = 0;
  let misdated = 0;
  const rolledBack: string[] = [];
  for (;;) {
    const page = await listChainedRows(db, { after: head.seq, limit: PAGE });
    if (page.length === 0) break;
    signal?.throwIfAborted();
    for (const row of page) {
      if (row.seq === from && from > 1) head = { ...head, hash: row.previousHash };
      const why = faultOf(row, head) ?? (notedHead?.seq === row.seq ? faultOfNoted(row, notedHead) : null);
      if (why !== null) return { rows, head, broken: { seq: row.seq, why }, misdated, rolledBack };
      head = { seq: row.seq, hash: row.hash };
      rows += 1;
      if (isMisdated(row)) misdated += 1;
    }
    rolledBack.push(...(await findRolledBack(db, page)));
    onProgress?.(rows);
  }
  const isCutOff = notedHead !== undefined && notedHead.seq > head.seq;
  return {
    rows,
    head,
    broken: isCutOff ? { seq: head.seq + 1, why: 'is missing, and all behind it' } : null,
    misdated,
    rolledBack,
  };
}

/** Returns why a row cannot be the one written after `before`, or null if it can. */
export function faultOf(row: ChainedRow, before: Head): string | null {
  if (row.seq !== before.seq + 1) return `follows row ${before.seq}: what was between is missing`;
  if (row.previousHash !== before.hash) return 'does not follow from the row before it';
  return row.hash === hashOf(row) ? null : 'is not as it was written';
}

const MAX_MINUTES_APART = 5;

/** Returns whether the time that the writing process set is more than five minutes before or after the database's time. */
export const isMisdated = ({ at, recordedAt }: ChainedRow): boolean =>
  recordedAt !== null && Math.abs(recordedAt.getTime() - at.getTime()) > MAX_MINUTES_APART * 60_000;

const faultOfNoted = (row: ChainedRow, notedHead: Head): string | null =>
  row.hash === notedHead.hash ? null : 'is another than the one that was noted';
