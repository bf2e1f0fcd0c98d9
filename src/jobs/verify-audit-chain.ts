// Verifies the chain of the audit record, beginning with its first row. A break is logged and does not stop the scan.

import { BEGINNING, faultOf, type Head, headOf, headText, isMisdated, PAGE } from '../audit/chain.ts';
import { findRolledBack } from '../audit/rolled-back.ts';
import { CHAIN_BREAKS, VERIFY_JOB } from '../tables/audit-events/chain-breaks.ts';
import { type ChainedRow, findAuditHash, listChainedRows } from '../tables/audit-events/statements.ts';
import type { Db } from '../tables/orm.ts';
import { count } from './counters.ts';
import { checkpointOfLastRun, type PagePosition, type PageResult, type StageContext } from './stage.ts';

export async function verifyAuditChain(context: StageContext, { after }: PagePosition): Promise<PageResult> {
  const { db, log, counters } = context;
  let head: Head = headOf(after ?? '') ?? { seq: 0, hash: BEGINNING };
  const rows = await listChainedRows(db, { after: head.seq, limit: PAGE });
  const breaks: string[] = [];
  for (const row of rows) {
    const why = faultOf(row, head);
    if (why !== null) breaks.push(`row ${row.seq} ${why}`);
    head = { seq: row.seq, hash: row.hash };
  }
  count(counters, 'rows verified', rows.length);
  reportMisdated(context, rows.filter(isMisdated));
  reportRolledBack(context, await findRolledBack(db, rows));
  if (rows.length === PAGE) {
    report(context, breaks);
    return { next: { after: headText(head) } };
  }
  const formerHead = headOf((await checkpointOfLastRun(db, VERIFY_JOB)) ?? '');
  const isGone = formerHead !== null && !(await isThere(db, formerHead));
  if (isGone) breaks.push(`row ${formerHead.seq} differs from the head of the night before`);
  report(context, breaks);
  // A log collector keeps this line out of reach of the owner of the database. `audit verify --head` compares it with the record.
  log.info({ code: 'audit.head', head: headText(head) }, 'the verified audit record ends at this row');
  // If the last known head is missing, it stays the checkpoint, so that every later night reports it.
  return { next: null, checkpoint: headText(isGone ? formerHead : head) };
}

/** Writes one log line per page, whatever the number of breaks. */
function report({ log, counters }: StageContext, breaks: string[]): void {
  if (breaks.length === 0) return;
  count(counters, CHAIN_BREAKS, breaks.length);
  log.error(
    { code: 'audit.chain_broken', first: breaks[0], breaks: breaks.length },
    'the chain of the audit record is broken',
  );
}

/** Reports rows whose own time differs from the database's: a wrong clock, an outage that delayed a row, or a row written by hand. */
function reportMisdated({ log, counters }: StageContext, rows: ChainedRow[]): void {
  const [first] = rows;
  if (!first) return;
  count(counters, 'rows misdated', rows.length);
  log.warn(
    { code: 'audit.misdated', first: first.seq, rows: rows.length },
    'rows of the audit record have a time that is more than five minutes from the database’s clock',
  );
}

function reportRolledBack({ log, counters }: StageContext, rolledBack: string[]): void {
  const [first] = rolledBack;
  if (first === undefined) return;
  count(counters, CHAIN_BREAKS, rolledBack.length);
  log.error(
    { code: 'bank_details.rolled_back', first, rows: rolledBack.length },
    'bank details were put back to a former version',
  );
}

async function isThere(db: Db, { seq, hash }: Head): Promise<boolean> {
  if (seq === 0) return true;
  const row = await findAuditHash(db, { seq });
  return row?.hash === hash;
}
