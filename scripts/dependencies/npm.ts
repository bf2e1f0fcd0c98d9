// npm as it was started, or the one on the path. What it writes to standard error may name a registry, so it stays unread.
import { execFile } from 'node:child_process';

/** @returns standard output, whatever the exit code was: npm tells by it what it has found. */
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
