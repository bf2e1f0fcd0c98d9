// The demo's journey against two processes of the service on the cluster.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ROOT } from '../../harness/processes/node-process.ts';
import { distributedSettings } from '../../harness/stack/settings.ts';
import type { AtEnd } from '../run-in-folder.ts';
import { startStack } from '../stack/stack.ts';

/** @returns the demo's last line, and whether every step succeeded. */
export async function runDemo(
  url: string,
  folder: string,
  atEnd: AtEnd,
): Promise<{ summary: string; isComplete: boolean }> {
  const stack = await startStack(
    folder,
    { processes: 2, startDatabase: async () => ({ url }), settings: distributedSettings },
    atEnd,
  );
  const demo = spawn(process.execPath, [join(ROOT, 'scripts/demo.ts')], {
    env: { ...process.env, PONTE_URL: stack.urls[0], SANDBOX_URL: stack.sandboxUrl },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  demo.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = await once(demo, 'close');
  for (const part of [...stack.instances, stack.sandbox]) await part.end();
  if (code !== 0) console.error(output.slice(-2_000));
  return { summary: /demo: (.*)/.exec(output)?.[1] ?? 'no result', isComplete: code === 0 };
}
