// Calls the operators' command line: most tests run it in their own process, which is much faster, on the app of their world.
import { execFile } from 'node:child_process';
import { CommanderError } from 'commander';
import { type CliContext, runOps } from '../../ops/cli.ts';
import { styleFor } from '../../ops/output.ts';
import { parseAndExecute } from '../../ops/program.ts';
import type { App } from '../../src/start/app.ts';
import { byTable } from '../support/by-table.ts';
import type { Person } from '../support/person.ts';
import { pay, quote, reaches } from '../support/person.ts';
import { ROOT, surroundings } from '../support/process.ts';
import type { World } from '../support/world.ts';

export type CommandResult = { code: number; out: string; err: string };

export const OPERATOR = 'olga';

/** Runs `node ops/main.ts` with exactly this environment. */
export const opsProcess = (env: NodeJS.ProcessEnv, args: string[]): Promise<CommandResult> =>
  run(process.execPath, ['ops/main.ts', ...args], env);

const run = (program: string, command: string[], env: NodeJS.ProcessEnv): Promise<CommandResult> =>
  new Promise((resolve) => {
    const options = { cwd: ROOT, env: { ...surroundings(), ...env } };
    execFile(program, command, options, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? 255 : 0, out, err });
    });
  });

/** Calls a command in a process of its own, as an operator of this world does. */
export const opsAside = ({ env }: World, ...args: string[]): Promise<CommandResult> =>
  opsProcess({ ...env, USER: OPERATOR }, args);

/** As `opsAside`, on a system that ends each file at so many blocks of 512 bytes, as a full disk does. */
export const opsOnFullDisk = ({ env }: World, blocks: number, ...args: string[]): Promise<CommandResult> =>
  run('sh', ['-c', `ulimit -f ${blocks}; exec "$@"`, 'sh', process.execPath, 'ops/main.ts', ...args], {
    ...env,
    USER: OPERATOR,
    NODE_DISABLE_COMPILE_CACHE: '1',
  });

/** Calls a command as an operator of this world, on its own app. */
export const ops = ({ service }: World, ...args: string[]): Promise<CommandResult> =>
  opsHere(service.app, args);

/** Calls a command that must succeed, on the world's own app. @returns its JSON. */
export async function opsJson<Answer>(world: World, ...args: string[]): Promise<Answer> {
  const { code, out, err } = await ops(world, ...args, '--json');
  if (code !== 0) throw new Error(`ops ${args.join(' ')} ended with ${code}: ${err}`);
  return JSON.parse(out) as Answer;
}

/**
 * Calls a command without a new process, on a running app.
 * @param env its whole environment.
 * @param isTTY whether its standard output is a terminal.
 * @param line what it reads from standard input.
 */
export const opsHere = (
  app: App | null,
  args: string[],
  env: NodeJS.ProcessEnv = {},
  isTTY = false,
  line = '',
): Promise<CommandResult> =>
  opsAt(
    async () => {
      if (app === null) throw new Error('this call must start nothing');
      return { app, close: async () => undefined };
    },
    args,
    env,
    isTTY,
    line,
  );

/** Calls a command without a new process, on the app that it starts. */
export async function opsAt(
  start: CliContext['start'],
  args: string[],
  env: NodeJS.ProcessEnv = {},
  isTTY = false,
  line = '',
): Promise<CommandResult> {
  const written = { out: '', err: '' };
  const code = await runOps(args, {
    env: { USER: OPERATOR, DATABASE_URL: 'given', PROVIDER_PASSWORD: 'given', ...env },
    out: { write: (text) => (written.out += text), isTTY },
    err: { write: (text) => (written.err += text) },
    readLine: async () => line,
    signal: new AbortController().signal,
    start,
  });
  return { code, ...written };
}

/** @returns the name of the command that these words call, or null for a call of the help. Runs nothing. */
export async function commandNamed(args: string[]): Promise<string | null> {
  const names: string[] = [];
  const nowhere = { write: () => undefined };
  await parseAndExecute(args, {
    out: nowhere,
    err: nowhere,
    style: styleFor(nowhere, {}),
    user: OPERATOR,
    execute: async ({ name }) => void names.push(name),
  }).catch((error: unknown) => {
    if (!(error instanceof CommanderError && error.exitCode === 0)) throw error;
  });
  return names[0] ?? null;
}

/** Pays one of the provider's magic keys and waits until the payment has reached the status. */
export async function paid(person: Person, key: string, status: Parameters<typeof reaches>[2], brl = 10) {
  const to = { pixKey: `${key}@pix.example`, pixKeyType: 'email' } as const;
  return reaches(person, await pay(person, await quote(person, brl), to), status);
}

export type Audit = { action: string; user_id: string | null; details: Record<string, unknown> };

/** The operators' changes to a target, as the audit log has them. */
export const auditOf = async ({ service }: World, target: string): Promise<Audit[]> =>
  (
    await byTable(service.app.db)
      .selectFrom('audit_events')
      .select(['action', 'user_id', 'details'])
      .where('action', 'like', 'operator.%')
      .orderBy('id')
      .execute()
  ).filter(({ details }) => details['target'] === target);
