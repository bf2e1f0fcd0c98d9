// A service under measurement, with its own database, sandbox and payers, so that the cost of each part is separate.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { Pool } from 'undici';
import type { LocalStack, Program, Service } from '../../harness/stack/local-stack.ts';
import { startTemporaryStack } from '../../harness/stack/temporary-stack.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { databaseSettings } from './database.ts';
import { type MakePayer, makePayers, type Payer } from './people.ts';
import { ignoreStatements } from './statements.ts';

export type Role = 'all' | 'api' | 'worker';

/** A participant of the comparison. Without a program, it is this checkout's service. */
export type Entrant = {
  name: string;
  service?: Service;
  sandbox?: Program;
  roles: Role[];
  env?: NodeJS.ProcessEnv;
  onServiceOutput?: (chunk: Buffer) => void;
  payersOf: (stack: LocalStack, env: NodeJS.Dict<string>) => MakePayer;
};

export type Contender = {
  name: string;
  folder: string;
  stack: LocalStack;
  api: Pool;
  payers: Payer[];
  stop: () => Promise<void>;
};

export async function startContender(entrant: Entrant, people: number): Promise<Contender> {
  const { name, service, sandbox, roles, env, onServiceOutput, payersOf } = entrant;
  const folder = temporaryFolder('bench');
  const stack = await startTemporaryStack(folder, {
    roles,
    // The processes are recognised by the folder in their environment.
    env: { ...env, SANDBOX_SETTLE_MS: '0', SANDBOX_ACTIVATE_MS: '0', BENCH_FOLDER: folder },
    databaseSettings,
    ...(onServiceOutput && { onServiceOutput }),
    ...(service && { service }),
    ...(sandbox && { sandbox }),
  });
  const api = new Pool(stack.url, { connections: 100 });
  const stop = async (): Promise<void> => {
    await api.destroy();
    await stack.stop();
  };
  try {
    await ignoreStatements(stack.databaseUrl);
    const settings = parseEnv(readFileSync(join(folder, 'stack.env'), 'utf8'));
    const payers = await makePayers(people, payersOf(stack, settings));
    console.log(`${name}: ${payers.length} payers`);
    return { name, folder, stack, api, payers, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
