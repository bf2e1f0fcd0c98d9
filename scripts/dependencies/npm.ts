// Runs the npm that started this process, or the one on the path. Its standard error may name a registry, so it is not read.
import { execFile } from 'node:child_process';

/** @returns standard output, whatever the exit code was: npm uses the exit code to report findings. */
export function npm(folder: string, asked: string[], env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const { npm_execpath: script } = process.env;
  const [file, before] = script === undefined ? ['npm', []] : [process.execPath, [script]];
  const options = { cwd: folder, env, maxBuffer: 256 * 1024 * 1024 };
  return new Promise((resolve, reject) => {
    execFile(file, [...before, ...asked], options, (error, stdout) => {
      if (error !== null && stdout === '') reject(new Error(`npm ${asked[0]} said nothing`));
      else resolve(stdout);
    });
  });
}
