// Detects the secrets that are published with these sources as examples for one machine. In production, at an address that
// others can reach, they are refused.
import { isLocal } from '../domain/address.ts';

const published: Record<string, string[]> = {
  SESSION_SECRET: ['for-trying-things-out-on-one-machine-only'],
  WEBHOOK_SECRET: ['for-trying-things-out-on-one-machine-only'],
  SEARCH_KEY: ['for-trying-things-out-on-one-machine-only'],
  PII_ENCRYPTION_KEY: ['Zm9yLXRyeWluZy10aGluZ3Mtb3V0LW9ubHktMzItYnk='],
  PROVIDER_PASSWORD: ['sandbox-password'],
  DATABASE_URL: ['ponte', 'ponte-service', 'secret'],
  ERASURE_DATABASE_URL: ['ponte-erasure', 'secret'],
};

/** Returns the names of the variables that contain a published secret, alone or among others. */
export function publishedSecretsIn(env: NodeJS.ProcessEnv): string[] {
  const { NODE_ENV: kind, PUBLIC_BASE_URL: address = '' } = env;
  if (kind !== 'production' || !URL.canParse(address) || isLocal(address)) return [];
  return Object.keys(published).filter((name) =>
    secretsIn(name, env[name] ?? '').some((secret) => published[name]?.includes(secret)),
  );
}

function secretsIn(name: string, value: string): string[] {
  if (name.endsWith('DATABASE_URL')) return URL.canParse(value) ? [new URL(value).password] : [];
  const entries = value.split(',').map((entry) => entry.trim());
  return name === 'PII_ENCRYPTION_KEY'
    ? entries.map((entry) => entry.replace(/^[^:]*:/, '').trim())
    : entries;
}
