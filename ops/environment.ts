// Reads the configuration of the command line. It is the environment, as for the service. If DATABASE_URL is not set, it is the file
// that the local stack of `npm start` keeps in .data/ or DATA_FOLDER while it runs. Support has a database and no secrets.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';

const DATA = fileURLToPath(new URL('../.data', import.meta.url));

/** Returns whether this is the environment of a person of support, which has neither the master key nor the provider's password. */
export const isOfSupport = (env: NodeJS.ProcessEnv): boolean =>
  !env['PII_ENCRYPTION_KEY'] && !env['PROVIDER_PASSWORD'];

export type Environment = { env: NodeJS.ProcessEnv; isLocalStack: boolean };

/**
 * Returns the environment of the service or of the local stack.
 * @param folder the folder of the local stack, unless DATA_FOLDER names another one. Only the stack's user can read its file.
 */
export function environmentFrom(env: NodeJS.ProcessEnv, folder = DATA): Environment {
  const file = join(env['DATA_FOLDER'] ?? folder, 'stack.env');
  if (env['DATABASE_URL'] !== undefined || !existsSync(file)) return { env, isLocalStack: false };
  return { env: { ...env, ...parseEnv(readFileSync(file, 'utf8')) }, isLocalStack: true };
}
