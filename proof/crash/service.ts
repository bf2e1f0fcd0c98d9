// The service as a process that can crash: its points are recorded, and it is started again on the same port after a crash.
import type { ChildProcess } from 'node:child_process';
import { compiledService } from '../../harness/processes/compiled.ts';
import { type NodeProcess, runNode, startNode } from '../../harness/processes/node-process.ts';
import type { Notice, Watch } from './preload/points.ts';

const WITH_POINTS = ['--import', './proof/crash/points.ts'];
const MAX_STARTS = 5;

export type Service = {
  /**
   * Changes the point that the process waits for. Resolves when the process has confirmed it.
   * @returns the points reported until now.
   */
  watch: (watch: Watch['watch']) => Promise<string[]>;
  /** How often the process has ended by itself. */
  deaths: () => number;
  /**
   * Resolves when a process is up and ready, immediately if one is.
   * @throws if none becomes ready.
   */
  ready: () => Promise<void>;
  /**
   * Kills the process and starts it again, with empty caches.
   * @param changes additions to its environment from now on.
   */
  renew: (changes?: NodeJS.ProcessEnv) => Promise<void>;
  /**
   * Runs a command of the operators' command line next to the service, watched under that name. A command that crashed is run
   * again.
   */
  operate: (name: string, args: string[]) => Promise<void>;
  stop: () => Promise<void>;
};

export function startService(settings: NodeJS.ProcessEnv): Service {
  let env = settings;
  let watched: Watch['watch'] = 'nothing';
  let deaths = 0;
  let isStopping = false;
  let isExpected = false;
  let points: string[] = [];
  let service: NodeProcess;
  const onMessage = (message: Partial<{ point: string }>): void => {
    if (message.point !== undefined) points.push(message.point);
  };

  const start = (): void => {
    service = startNode([...WITH_POINTS, 'src/start/serve.ts'], { env: environmentWith(env), onMessage });
    service.child.once('exit', (_code, signal) => {
      if (isStopping) return;
      if (!isExpected && signal === 'SIGKILL') deaths += 1;
      isExpected = false;
      start();
    });
  };
  start();

  /** Repeats a start that fails on a busy machine. */
  const ready = async (): Promise<void> => {
    for (let tries = 1; ; tries += 1)
      try {
        return await service.ready();
      } catch (error) {
        if (tries === MAX_STARTS) throw error;
      }
  };
  return {
    watch: async (watch) => {
      await ready();
      await confirmed(service.child, { watch });
      watched = watch;
      const reported = points;
      points = [];
      return reported;
    },
    deaths: () => deaths,
    ready,
    renew: async (changes = {}) => {
      env = { ...env, ...changes };
      isExpected = true;
      await service.stop('SIGKILL');
      await ready();
    },
    operate: async (name, args) => {
      for (;;) {
        const watching = { CRASH_ACTOR: name, CRASH_WATCH: JSON.stringify({ watch: watched }) };
        const { signal } = await runNode([...WITH_POINTS, 'ops/main.ts', ...args], {
          env: environmentWith({ ...env, ...watching }),
          onMessage,
        });
        if (signal === null) return;
        deaths += 1;
        watched = 'nothing';
      }
    },
    stop: async () => {
      isStopping = true;
      await service.stop('SIGKILL');
    },
  };
}

const environmentWith = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  ...compiledService(),
  ...env,
});

/** Points that were reported before the answer also arrived before it. */
function confirmed(child: ChildProcess, watch: Watch): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (settle: () => void): void => {
      child.off('message', onAnswer);
      child.off('exit', onExit);
      settle();
    };
    const onAnswer = (message: Partial<Notice>): void => {
      if ('watching' in message) done(resolve);
    };
    const onExit = (): void =>
      done(() => reject(new Error('the service ended while it was told what to look out for')));
    child.on('message', onAnswer);
    child.once('exit', onExit);
    child.send(watch);
  });
}
