// The file that holds a new webhook secret until it is configured. It has one line, and only its owner can read it.
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { OpsFailure } from '../command.ts';

const SECRET_BYTES = 32;

/**
 * Creates a new secret and its file. The file is flushed to disk before anything depends on the secret. The secret is never printed,
 * because terminals keep their output.
 * @throws OpsFailure if the file cannot be written.
 */
export function createSecretFile(file: string): string {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  try {
    writeFileSync(file, `WEBHOOK_SECRET=${secret}\n`, { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    throw new OpsFailure(
      `${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  return secret;
}

export function readSecretFile(file: string): string {
  const secret = parseEnv(readFileSync(file, 'utf8'))['WEBHOOK_SECRET'] ?? '';
  if (!/^[A-Za-z0-9_-]{32,}$/.test(secret))
    throw new OpsFailure(`${file} exists already, and holds no WEBHOOK_SECRET=... of a rotation.`);
  return secret;
}
