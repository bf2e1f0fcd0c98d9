// Runs the npm that started this process, or the one on the path. Its standard error may name a registry, so it is not read.
import { execFile } from 'node:child_process';

/** @returns standard output, whatever the exit code was: npm uses the exit code to report findings. */
export function npm(folder: string, command: string[]): Promise<string> {
  const { npm_execpath: script } = process.env;
  const [file, before] = script === undefined ? ['npm', []] : [process.execPath, [script]];
  return new Promise((resolve, reject) => {
    execFile(
      file,
      [...before, ...command],
      { cwd: folder, maxBuffer: 256 * 1024 * 1024 },
      (error, stdout) => {
        if (error !== null && stdout === '') reject(new Error(`npm ${command.join(' ')} failed`));
        else resolve(stdout);
      },
    );
  });
}
