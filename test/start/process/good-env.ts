// A valid configuration. Tests change one variable at a time.
import { randomBytes } from 'node:crypto';
import { sandboxSettings } from '../../../harness/stack/settings.ts';

export const goodEnv = (databaseUrl: string): NodeJS.ProcessEnv => ({
  ...sandboxSettings('http://127.0.0.1:9'),
  PORT: '0',
  PUBLIC_BASE_URL: 'http://127.0.0.1:9',
  DATABASE_URL: databaseUrl,
  SESSION_SECRET: randomBytes(32).toString('base64url'),
  PII_ENCRYPTION_KEY: `test:${randomBytes(32).toString('base64')}`,
  WEBHOOK_SECRET: randomBytes(24).toString('base64url'),
});
