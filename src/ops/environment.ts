// The configuration of the command line: the environment, as for the service; or, without DATABASE_URL, the file that the
// local stack of `npm start` keeps while it runs.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';

const LOCAL_STACK = fileURLToPath(new URL('../../.data/stack.env', import.meta.url));

export type Environment = { env: NodeJS.ProcessEnv; isLocalStack: boolean };

/** @param file the local stack's own, readable by its user alone. */
export function environmentFrom(env: NodeJS.ProcessEnv, file = LOCAL_STACK): Environment {
  if (env['DATABASE_URL'] !== undefined || !existsSync(file)) return { env, isLocalStack: false };
  return { env: { ...env, ...parseEnv(readFileSync(file, 'utf8')) }, isLocalStack: true };
}
