// The configuration: lists of secrets, listening addresses, and published example secrets.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ConfigurationError, readConfig } from '../../src/start/config.ts';
import { composeServices } from '../support/compose.ts';
import { goodEnv } from './process/good-env.ts';

const good: NodeJS.ProcessEnv = {
  ...goodEnv('postgres://ponte_service:as-good-as-any@db.example.com/ponte'),
  PROVIDER_PASSWORD: 'as-good-as-any',
};
const long = (letter: string): string => letter.repeat(32);

const faultsOf = (env: NodeJS.ProcessEnv): string[] => {
  try {
    readConfig({ ...good, ...env });
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
};

test('SESSION_SECRET may be a list, in which spaces are ignored', () => {
  const { session } = readConfig({ ...good, SESSION_SECRET: `${long('a')}, ${long('b')}` });
  expect(session.secrets).toEqual([long('a'), long('b')]);
});

test.each([`${long('a')},short`, `${long('a')},`, `,${long('a')}`, `${long('a')},${long('a')}`])(
  'SESSION_SECRET is refused as %s',
  (SESSION_SECRET) => {
    expect(faultsOf({ SESSION_SECRET })).toEqual([
      'SESSION_SECRET must be at least 32 bytes long; several differ and are separated by commas',
    ]);
  },
);

test('an identity provider may have several issuers, in which spaces are ignored', () => {
  const google = 'https://accounts.google.com, accounts.google.com';
  expect(readConfig({ ...good, IDENTITY_B_ISSUER: google }).identity.identity_provider_b.issuers).toEqual([
    'https://accounts.google.com',
    'accounts.google.com',
  ]);
  for (const IDENTITY_B_ISSUER of ['', ' ', 'one.example,', 'one.example,one.example'])
    expect(faultsOf({ IDENTITY_B_ISSUER })).toEqual([expect.stringMatching(/^IDENTITY_B_ISSUER /)]);
});

test('by default, metrics are served only to this machine, and requests to every host', () => {
  expect(readConfig(good)).toMatchObject({ host: undefined, metricsHost: '127.0.0.1' });
  expect(readConfig({ ...good, LISTEN_HOST: '127.0.0.1', METRICS_HOST: '0.0.0.0' })).toMatchObject({
    host: '127.0.0.1',
    metricsHost: '0.0.0.0',
  });
});

test('the service is beside the sandbox if the provider is named so', () => {
  expect(readConfig({ ...good, PROVIDER_NAME: 'sandbox' }).isBesideSandbox).toBe(true);
  expect(readConfig({ ...good, PROVIDER_NAME: 'sandbox-of-the-bank' }).isBesideSandbox).toBe(false);
});

test('receipts name the institution that pays if it is configured', () => {
  expect(readConfig(good).codeExpiresSoonMs).toBe(600_000);
  expect(readConfig({ ...good, PAYER_INSTITUTION: undefined }).payerInstitution).toBeNull();
  expect(readConfig({ ...good, PAYER_INSTITUTION: 'Banco do Atlântico' }).payerInstitution).toBe(
    'Banco do Atlântico',
  );
  expect(faultsOf({ PAYER_INSTITUTION: ' ' })).toEqual([expect.stringMatching(/^PAYER_INSTITUTION /)]);
});

const passwordsOf = (text: string) => readConfig({ ...good, PROVIDER_PASSWORD: text }).provider.passwords;

test('PROVIDER_PASSWORD is one password as it is, or two during its change', () => {
  expect(passwordsOf(' a:b;c ')).toEqual([' a:b;c ']);
  expect(passwordsOf('old, new')).toEqual(['old', 'new']);
  for (const text of ['old,', ',new', ',', 'same,same', 'same, same', 'a,b,c', ' '])
    expect(faultsOf({ PROVIDER_PASSWORD: text })).toEqual([
      'PROVIDER_PASSWORD must be a password without a comma, or two that differ, separated by a comma',
    ]);
});

test('PROMETHEUS_URL has no password, because operators read it, and its last slash does not matter', () => {
  expect(readConfig(good).prometheusUrl).toBeNull();
  expect(readConfig({ ...good, PROMETHEUS_URL: 'http://monitor:9090/prometheus/' }).prometheusUrl).toBe(
    'http://monitor:9090/prometheus',
  );
  for (const PROMETHEUS_URL of [
    'monitor:9090',
    'https://a:b@monitor',
    'https://monitor/?token=x',
    '',
    'https://',
  ])
    expect(faultsOf({ PROMETHEUS_URL })).toEqual([
      expect.stringMatching(/^PROMETHEUS_URL must be an address /),
    ]);
});

test('a process counts as dead after 10 s without a heartbeat, or after the configured time', () => {
  expect(readConfig(good)).toMatchObject({ processDeadAfterMs: 10_000 });
  expect(readConfig({ ...good, PROCESS_DEAD_AFTER_SECONDS: '3' })).toMatchObject({
    processDeadAfterMs: 3_000,
  });
  expect(faultsOf({ PROCESS_DEAD_AFTER_SECONDS: '0' })).toHaveLength(1);
});

test('a process traces if a collector is named, by default one trace in a hundred', () => {
  expect(readConfig(good)).toMatchObject({ tracing: null });
  const on = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318' };
  expect(readConfig({ ...good, ...on })).toMatchObject({
    tracing: { sampler: 'parentbased_traceidratio', ratio: 0.01, trustsCallers: false },
  });
  expect(readConfig({ ...good, ...on, OTEL_TRACES_SAMPLER_ARG: '1' })).toMatchObject({
    tracing: { ratio: 1 },
  });
  for (const ratio of ['1.1', '-0.1', '1e-3', 'all', '0x1'])
    expect(faultsOf({ OTEL_TRACES_SAMPLER_ARG: ratio })).toHaveLength(1);
  expect(faultsOf({ OTEL_TRACES_SAMPLER: 'jaeger_remote' })).toHaveLength(1);
});

test('the password of a collector is not sent over plain HTTP in production', () => {
  const on = { NODE_ENV: 'production', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318' };
  expect(faultsOf(on)).toEqual([]);
  expect(faultsOf({ ...on, OTEL_EXPORTER_OTLP_HEADERS: 'api-key=secret' })).toHaveLength(1);
});

test('a failed payout can be returned after 24 hours, and sooner only outside of production', () => {
  expect(readConfig(good)).toMatchObject({ returnAfterMs: 24 * 60 * 60_000 });
  expect(readConfig({ ...good, RETURN_AFTER_HOURS: '0' })).toMatchObject({ returnAfterMs: 0 });
  const tooSoon = faultsOf({ NODE_ENV: 'production', RETURN_AFTER_HOURS: '23' });
  expect(tooSoon).toEqual([expect.stringContaining('RETURN_AFTER_HOURS')]);
  expect(faultsOf({ NODE_ENV: 'production', RETURN_AFTER_HOURS: '48' })).toEqual([]);
});

test('a process continues for 5 s after a stop signal in production, and stops immediately elsewhere', () => {
  expect(readConfig(good)).toMatchObject({ shutdownDelayMs: 0 });
  expect(readConfig({ ...good, NODE_ENV: 'production' })).toMatchObject({ shutdownDelayMs: 5_000 });
  const set = { NODE_ENV: 'production', SHUTDOWN_DELAY_SECONDS: '0' };
  expect(readConfig({ ...good, ...set })).toMatchObject({ shutdownDelayMs: 0 });
  expect(faultsOf({ SHUTDOWN_DELAY_SECONDS: 'soon' })).toHaveLength(1);
});

test('verification pages may be limited to some hosts', () => {
  expect(readConfig(good)).toMatchObject({ verificationHosts: [] });
  const some = { VERIFICATION_HOSTS: 'verify.example.com, id.example.org' };
  expect(readConfig({ ...good, ...some })).toMatchObject({
    verificationHosts: ['verify.example.com', 'id.example.org'],
  });
  for (const host of [
    'https://verify.example.com',
    'verify.example.com/x',
    'a.example,',
    'Verify.example.com',
  ])
    expect(faultsOf({ VERIFICATION_HOSTS: host })).toHaveLength(1);
});

const plainHttpFault = (name: string) =>
  `${name} must begin with https://, or lead to this machine; ALLOW_PLAIN_HTTP=true allows http://`;

describe('an upstream without TLS', () => {
  const names = ['PROVIDER_BASE_URL', 'IDENTITY_A_JWKS_URL', 'IDENTITY_B_JWKS_URL'];
  const all = (url: string): NodeJS.ProcessEnv => Object.fromEntries(names.map((name) => [name, url]));
  test.each([
    'http://provider.example',
    'HTTP://10.0.0.7:4010',
    'http://sandbox:4010',
    'http://localhost.example',
  ])(
    'an upstream without TLS is refused in production at %s, with the name of each variable and all other faults',
    (url) => {
      expect(faultsOf({ NODE_ENV: 'production', ...all(url) })).toEqual(names.map(plainHttpFault));
      const faults = faultsOf({ NODE_ENV: 'production', PORT: 'eighty', PROVIDER_BASE_URL: url });
      expect(faults).toEqual([expect.stringMatching(/^PORT /), plainHttpFault('PROVIDER_BASE_URL')]);
    },
  );

  test.each([
    'http://localhost:4010',
    'http://127.0.0.1:4010',
    'http://[::1]:4010',
    'https://provider.example',
  ])(
    'an upstream is accepted in production at %s, because the traffic stays on this machine or is encrypted',
    (url) => {
      expect(faultsOf({ NODE_ENV: 'production', ...all(url) })).toEqual([]);
    },
  );

  test('an upstream without TLS is accepted in production with ALLOW_PLAIN_HTTP, and everywhere else', () => {
    const plain = all('http://provider.example');
    expect(faultsOf({ NODE_ENV: 'production', ...plain, ALLOW_PLAIN_HTTP: 'true' })).toEqual([]);
    expect(faultsOf({ NODE_ENV: 'production', ...plain, ALLOW_PLAIN_HTTP: 'false' })).toHaveLength(3);
    expect(faultsOf({ NODE_ENV: 'production', ALLOW_PLAIN_HTTP: 'yes' })).toHaveLength(1);
    expect(faultsOf(plain)).toEqual([]);
  });
});

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

test('.env.example lists every variable', () => {
  const names = [...read('src/start/config.ts').matchAll(/^ {2}(?<name>[A-Z_]+): /gm)].map(
    ({ groups = {} }) => groups['name'] ?? '',
  );
  expect(names.length).toBeGreaterThan(25);
  const listed = new Set(
    [...read('.env.example').matchAll(/^(?:# ?)?(?<name>[A-Z_]+)=/gm)].map(
      ({ groups = {} }) => groups['name'],
    ),
  );
  expect(names.filter((name) => !listed.has(name))).toEqual([]);
});

const composed = composeServices()['service']?.environment ?? {};

test('the service of the compose file starts in production, as its image does', () => {
  expect(faultsOf({ ...composed, NODE_ENV: 'production' })).toEqual([]);
});

describe('published secrets', () => {
  const names = [
    'SESSION_SECRET',
    'PII_ENCRYPTION_KEY',
    'WEBHOOK_SECRET',
    'PROVIDER_PASSWORD',
    'DATABASE_URL',
    'ERASURE_DATABASE_URL',
  ];
  const examples = Object.fromEntries(names.map((name) => [name, composed[name]]));
  const inPublic = { NODE_ENV: 'production', PUBLIC_BASE_URL: 'https://api.example.com' };

  test.each(names)('%s of the compose file is refused in production at a public address', (name) => {
    expect(examples[name]).toMatch(/.{8}/);
    const faults = faultsOf({ ...inPublic, [name]: examples[name] });
    expect(faults).toEqual([
      `${name} is an example that is published with the sources: make one of your own`,
    ]);
  });

  test('all published secrets are named together with other faults, and without their values', () => {
    const faults = faultsOf({ ...inPublic, ...examples, PORT: 'eighty' });
    expect(faults).toHaveLength(names.length + 1);
    for (const name of [...names, 'PORT']) expect(faults.join('\n')).toContain(name);
    for (const value of Object.values(examples)) expect(faults.join('\n')).not.toContain(value);
  });

  test('a published secret in a list of secrets is refused', () => {
    const { SESSION_SECRET, PII_ENCRYPTION_KEY } = examples;
    expect(faultsOf({ ...inPublic, SESSION_SECRET: `${long('a')},${SESSION_SECRET}` })).toHaveLength(1);
    const keys = `${good['PII_ENCRYPTION_KEY']},${PII_ENCRYPTION_KEY?.replace('local', 'other')}`;
    expect(faultsOf({ ...inPublic, PII_ENCRYPTION_KEY: keys })).toHaveLength(1);
    expect(faultsOf({ ...inPublic, PROVIDER_PASSWORD: 'own, sandbox-password' })).toHaveLength(1);
  });

  test.each([
    'https://api.example.com',
    'http://203.0.113.7:3000',
    'http://[2001:db8::7]',
    'https://localhost.example.com',
    'https://127.0.0.1.example.com',
  ])('published secrets are refused in production at %s', (PUBLIC_BASE_URL) => {
    expect(faultsOf({ NODE_ENV: 'production', ...examples, PUBLIC_BASE_URL })).toHaveLength(names.length);
  });

  test.each([
    'http://localhost:3000',
    'http://127.0.0.1:3000',
    'http://[::1]:3000',
    // A name without a dot is known only inside one network, such as that of the compose file.
    'http://service:3000',
    composed['PUBLIC_BASE_URL'] ?? '',
  ])('published secrets are accepted in production at %s', (PUBLIC_BASE_URL) => {
    expect(faultsOf({ NODE_ENV: 'production', ...examples, PUBLIC_BASE_URL })).toEqual([]);
  });

  test('published secrets are accepted outside of production', () => {
    expect(faultsOf({ ...examples, PUBLIC_BASE_URL: 'https://api.example.com' })).toEqual([]);
  });

  test("an operator's own secrets are accepted in production", () => {
    expect(faultsOf(inPublic)).toEqual([]);
  });
});
