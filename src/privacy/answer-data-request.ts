// Operators' actions on the requests of data subjects: reading, exporting and closing. Each action is audited.

import type { Clock } from '../domain/clock.ts';
import { inDbTransaction } from '../platform/database/db-transaction.ts';
import type { Entity } from '../platform/database/entities/rows.ts';
import type { Db } from '../platform/database/orm.ts';
import { auditOperator, type By } from '../platform/security/audit-operator.ts';
import { encryptionContexts } from '../platform/security/encryption-contexts.ts';
import type { Sealer } from '../platform/security/sealer.ts';
import { closeDataRequest, findDataRequestById } from '../platform/sql/data-requests.ts';
import { type ExportKind, exportPerson, type PersonsExport } from './export-person.ts';

/**
 * Opens the notes that the user wrote with a request, and audits that they were read.
 * @returns the text, or null if there are no notes.
 * @throws NoSuchRequest if no request has this id.
 */
export async function readRequestNotes(
  { db, sealer, clock }: { db: Db; sealer: Sealer; clock: Clock },
  id: string,
  by: By,
): Promise<string | null> {
  const request = await requestIn(db, id);
  await record(clock, db, 'data-requests read', request, by);
  const { notesSealed: notes } = request;
  return notes && sealer.open(encryptionContexts.requestNotes(request.userId, id), notes);
}

/**
 * Closes a request.
 * @returns false if it was closed before.
 * @throws NoSuchRequest if no request has this id.
 */
export function closeRequest({ db, clock }: { db: Db; clock: Clock }, id: string, by: By): Promise<boolean> {
  return inDbTransaction(db, async (tx) => {
    const request = await requestIn(tx, id);
    if ((await closeDataRequest(tx, { id, closedAt: clock.now() })) !== 1) return false;
    await record(clock, tx, 'data-requests close', request, by);
    return true;
  });
}

/**
 * Exports the data that a request asks for. The audit entry is written before the export is returned.
 * @returns `not_exportable` if the request is not for access or portability.
 * @throws NoSuchRequest if no request has this id.
 */
export async function exportForRequest(
  { db, sealer, clock }: { db: Db; sealer: Sealer; clock: Clock },
  id: string,
  by: By,
): Promise<(PersonsExport & { requestId: string }) | 'not_exportable'> {
  const request = await requestIn(db, id);
  if (!isExportKind(request.type)) return 'not_exportable';
  const exported = await exportPerson({ db, sealer, clock }, request.userId, request.type);
  await record(clock, db, 'data-requests export', request, by);
  return { requestId: id, ...exported };
}

const isExportKind = (type: string): type is ExportKind => type === 'access' || type === 'portability';

export class NoSuchRequest extends Error {
  constructor(id: string) {
    super(`There is no data subject's request ${id}.`);
    this.name = 'NoSuchRequest';
  }
}

async function requestIn(db: Db, id: string): Promise<Entity<'DataRequest'>> {
  const request = await findDataRequestById(db, { id });
  if (!request) throw new NoSuchRequest(id);
  return request;
}

const record = (
  clock: Clock,
  db: Db,
  action: string,
  { id, userId }: Entity<'DataRequest'>,
  by: By,
): Promise<void> => auditOperator(db, { ...by, action, target: id, userId, now: clock.now() });
