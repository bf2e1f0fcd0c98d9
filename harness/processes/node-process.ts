// Starts Node.js programs of this checkout or of another one as processes, and waits until they report that they are ready.
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export type Ending = { code: number | null; signal: NodeJS.Signals | null; wasReady: boolean };
export type NodeProcess = {
  child: ChildProcess;
  /**
   * Resolves when the process has reported that it is ready. The service and the references send a message, the sandbox prints a
   * line.
   * @throws an error with its last output if it ends before, or is not ready within three minutes.
   */
  ready: () => Promise<void>;
  isReady: () => boolean;
  isRunning: () => boolean;
  /** Resolves when the process has ended and its output is complete. */
  ended: Promise<Ending>;
  /** The end of what the process has written to both streams. */
  output: () => string;
  /** Sends the signal, by default SIGTERM, unless the process has ended. Resolves when it has. */
  stop: (signal?: NodeJS.Signals) => Promise<Ending>;
};

type Options = {
  /** The checkout that the process runs in. */
  root?: string;
  /** The whole environment. Nothing else is inherited. */
  env: NodeJS.ProcessEnv;
  /** Receives everything that the process writes. */
  onOutput?: (chunk: Buffer, stream: 'stdout' | 'stderr') => void;
  onMessage?: (message: object) => void;
};

/** Starting takes long on a busy machine. */
const READY_WITHIN_MS = 180_000;
const KEPT_OUTPUT = 4_000;

/** @param args flags of Node.js, the program, and its arguments. */
export function startNode(args: string[], { root = ROOT, env, onOutput, onMessage }: Options): NodeProcess {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const { promise: reported, resolve: report } = Promise.withResolvers<undefined>();
  let isReady = false;
  const becomeReady = (): void => {
    isReady = true;
    report(undefined);
  };
  let output = '';
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream]?.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-KEPT_OUTPUT);
      if (chunk.includes('ready at')) becomeReady();
      onOutput?.(chunk, stream);
    });
  child.on('message', (message: object | string) => {
    if (typeof message === 'string' || 'ready' in message) becomeReady();
    else onMessage?.(message);
  });
  const ended = new Promise<Ending>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, wasReady: isReady }));
  });
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  return {
    child,
    ready: async () => {
      const waiting = new AbortController();
      const late = pause(READY_WITHIN_MS, 'is not ready', { signal: waiting.signal, ref: false });
      const endedFirst = ended.then(({ code, signal }) => `ended with ${code ?? signal}`);
      const why = await Promise.race([reported, endedFirst, late]);
      late.catch(() => undefined);
      waiting.abort();
      if (why !== undefined) throw new Error(`${args.join(' ')} ${why}: ${output}`);
    },
    isReady: () => isReady && isRunning(),
    isRunning,
    ended,
    output: () => output,
    stop: (signal = 'SIGTERM') => {
      if (isRunning()) child.kill(signal);
      return ended;
    },
  };
}

/**
 * Runs a program to its end.
 * @throws an error with its last output if it fails. A process that a signal ended does not count as failed.
 */
export async function runNode(args: string[], options: Options): Promise<Ending> {
  const running = startNode(args, options);
  const ending = await running.ended;
  if (ending.code !== 0 && ending.signal === null)
    throw new Error(`${args.join(' ')} ended with ${ending.code}: ${running.output()}`);
  return ending;
}
