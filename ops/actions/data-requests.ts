// Answers the requests of data subjects: reads their notes, exports the data, closes them. Each action is audited, reading included.
import { type ExportKind, exportUser } from '../../src/privacy/export-user.ts';
import { encryptionContexts } from '../../src/security/encryption-contexts.ts';
import { closeDataRequest, findDataRequestById } from '../../src/tables/data-requests/statements.ts';
import type { Db } from '../../src/tables/orm.ts';
import type { Entity } from '../../src/tables/rows.ts';
import { audit, changed, inOneCommit, unchanged } from '../action.ts';
import { type CommandSpec, OpsFailure } from '../command.ts';
import { count } from '../format.ts';
import { writePrivateFile } from '../private-file.ts';

export const dataRequestsReadCommand: CommandSpec = {
  name: 'data-requests read',
  summary: 'the notes that the user wrote with a request',
  argument: { name: 'requestId', form: 'uuid' },
  run: async (call) => {
    const { app, out, argument: id } = call;
    const { userId, notesSealed } = await requestIn(app.db, id);
    await audit(app.db, call, { target: id, userId });
    const context = encryptionContexts.requestNotes(userId, id);
    const notes = notesSealed && (await app.sealer.open(context, notesSealed));
    if (out.isJson) return out.json({ id, notes });
    // Notes may contain control characters, which a terminal would interpret.
    out.print(
      notes?.replaceAll(/[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, ' ') ??
        'The request has no notes.',
    );
  },
};

/**
 * Exports the user's data, to one file that only its owner can read, or to a terminal. Everything else keeps what it is given: a pipe's
 * reader, or the log of a container. The audit entry is written before the export is shown.
 */
export const dataRequestsExportCommand: CommandSpec = {
  name: 'data-requests export',
  summary: 'everything held about the user, for a request for access or portability',
  argument: { name: 'requestId', form: 'uuid' },
  options: { file: { placeholder: '<path>', summary: 'a new file that only you can read' } },
  run: async (call) => {
    const { app, out, argument: id, options } = call;
    const { userId, type } = await requestIn(app.db, id);
    if (!isExportKind(type))
      throw new OpsFailure('Only a request for access or portability is answered with an export.');
    const { file } = options;
    if (typeof file !== 'string' && !out.isTerminal)
      throw new OpsFailure('Without --file, an export is only written to a terminal: name a new file.');
    const exported = { requestId: id, ...(await exportUser(app, userId, type)) };
    await audit(app.db, call, { target: id, userId });
    if (typeof file !== 'string') return out.json(exported);

    await writePrivateFile(file, `${JSON.stringify(exported, null, 2)}\n`);
    const sections = exported.sections.length;
    const rows = exported.sections.reduce((sum, section) => sum + section.rows.length, 0);
    if (out.isJson) return out.json({ file, sections, rows });
    out.print(
      `${out.style.green('Done.')} ${count(rows, 'row')} in ${count(sections, 'section')}, in ${file}. Delete the file once it has been handed over.`,
    );
  },
};

const isExportKind = (type: string): type is ExportKind => type === 'access' || type === 'portability';

export const dataRequestsCloseCommand: CommandSpec = {
  name: 'data-requests close',
  summary: 'close a request; the reason says how it was answered',
  argument: { name: 'requestId', form: 'uuid' },
  run: inOneCommit(async (tx, call) => {
    const { app, argument: id } = call;
    const { userId } = await requestIn(tx, id);
    if ((await closeDataRequest(tx, { id, userId, closedAt: app.clock.now() })) !== 1)
      return unchanged('The request was closed before.');
    await audit(tx, call, { target: id, userId });
    return changed('The request is closed; the audit record has your reason.');
  }),
};

async function requestIn(db: Db, id: string): Promise<Entity<'DataRequest'>> {
  const request = await findDataRequestById(db, { id });
  if (!request) throw new OpsFailure(`There is no data request ${id}.`);
  return request;
}
