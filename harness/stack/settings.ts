// Settings of the service for stacks on one machine.
import { randomBytes } from 'node:crypto';

/** The service's settings that make the sandbox its provider and both of its identity providers. */
export const sandboxSettings = (sandboxUrl: string) => ({
  PROVIDER_NAME: 'sandbox',
  PROVIDER_BASE_URL: sandboxUrl,
  PROVIDER_USERNAME: 'sandbox',
  PROVIDER_PASSWORD: 'sandbox-password',
  PROVIDER_COMPANY_ID: 'sandbox-company',
  PAYER_INSTITUTION: 'Banco do Atlântico',
  IDENTITY_A_ISSUER: `${sandboxUrl}/identity/a`,
  IDENTITY_A_JWKS_URL: `${sandboxUrl}/identity/a/jwks.json`,
  IDENTITY_A_AUDIENCE: 'com.example.ponte',
  IDENTITY_B_ISSUER: `${sandboxUrl}/identity/b, ${new URL(sandboxUrl).host}/identity/b`,
  IDENTITY_B_JWKS_URL: `${sandboxUrl}/identity/b/jwks.json`,
  IDENTITY_B_AUDIENCE: 'ponte-client.apps.example',
});

/** Draws the service's secrets. @param keyId the name of the master key. */
export const newSecrets = (keyId: string) => ({
  SESSION_SECRET: randomBytes(32).toString('base64url'),
  PII_ENCRYPTION_KEY: `${keyId}:${randomBytes(32).toString('base64')}`,
  SEARCH_KEY: randomBytes(32).toString('base64url'),
  WEBHOOK_SECRET: randomBytes(32).toString('base64url'),
});

/** What the service needs on a coordinator of Citus (docs/performance.md). */
export const distributedSettings = { DATABASE_PLANS: 'custom', DECISIONS_PER_COMMIT: '1' };
