// Answers a request for access or portability with an export of the user's data: one file that only its owner can read.
import { writeFile } from 'node:fs/promises';
import { exportForRequest } from '../../../../src/privacy/answer-data-request.ts';
import { type CommandCall, type CommandSpec, OpsFailure } from '../command.ts';
import { count } from '../format.ts';
import { notFound } from './close-data-request.ts';

export const dataRequestsExportCommand: CommandSpec = {
  name: 'data-requests export',
  summary: 'everything held on the person, for a request for access or portability',
  argument: { name: 'requestId', form: 'uuid' },
  options: { file: { placeholder: '<path>', summary: 'a new file that only you can read' } },
  run,
};

async function run({ app, out, argument: id, options, operator, reason }: CommandCall): Promise<void> {
  const exported = await exportForRequest(app, id, { operator, reason }).catch(notFound);
  if (exported === 'not_exportable')
    throw new OpsFailure('Only a request for access or portability is answered with an export.');
  const { file } = options;
  if (typeof file !== 'string') return out.json(exported);

  await write(file, JSON.stringify(exported, null, 2));
  const rows = exported.sections.reduce((sum, section) => sum + section.rows.length, 0);
  if (out.isJson) return out.json({ file, sections: exported.sections.length, rows });
  out.print(
    `${out.style.green('Done.')} ${count(rows, 'row')} in ${count(exported.sections.length, 'section')}, in ${file}. Delete the file once it has been handed over.`,
  );
}

/** Writes a new file that only its owner can read. It never overwrites an existing file. */
async function write(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, `${text}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new OpsFailure(
      code === 'EEXIST' ? `${file} exists already.` : `${file} cannot be written: ${code}.`,
    );
  }
}
