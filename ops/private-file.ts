// Writes the files of the commands that hand out secrets or personal data. A file is there completely, or not at all.
import { link, rm, writeFile } from 'node:fs/promises';
import { OpsFailure } from './command.ts';

/**
 * Writes a new file that only its owner can read, and flushes it to disk. It never overwrites an existing file. The text goes to
 * `<file>.part` first, which remains only if the process is killed.
 * @throws OpsFailure that says why there is no file.
 */
export async function writePrivateFile(file: string, text: string): Promise<void> {
  const part = `${file}.part`;
  try {
    await writeFile(part, text, { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST')
      throw new OpsFailure(`${part} exists already: delete it, unless another call is writing it.`);
    await rm(part, { force: true });
    throw new OpsFailure(sentenceOf(file, code));
  }
  try {
    // A rename would overwrite a file that was made meanwhile.
    await link(part, file);
  } catch (error) {
    throw new OpsFailure(sentenceOf(file, codeOf(error)));
  } finally {
    await rm(part, { force: true });
  }
}

const reasons: Record<string, string> = {
  EACCES: 'you have no right to write there',
  EDQUOT: 'no space is left for it',
  EFBIG: 'no space is left for it',
  ENOENT: 'the folder does not exist',
  ENOSPC: 'no space is left for it',
  EPERM: 'the file system cannot keep it from others',
  EROFS: 'the file system is read-only',
};

const sentenceOf = (file: string, code: string): string =>
  code === 'EEXIST' ? `${file} exists already.` : `${file} cannot be written: ${reasons[code] ?? code}.`;

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'unknown';
