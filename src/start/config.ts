// Reads the configuration from the environment and checks it before anything starts. All faults are reported together.
import { cleanEnv, EnvMissingError, makeValidator } from 'envalid';
import { blockListOf } from '../api/client-address.ts';
import { isLoopback } from '../domain/address.ts';
import { samplerNames } from '../platform/tracing/sampler-names.ts';
import { publishedSecretsIn } from './published-secrets.ts';

const HOUR_MS = 60 * 60_000;
/** In production a failed payout is returned at the earliest after this time, because its bank may still complete it. */
const LEAST_RETURN_HOURS = 24;

type MasterKey = { id: string; key: Buffer };
export type Config = ReturnType<typeof readConfig>;
export type Role = Config['role'];

/** Thrown if the configuration is not valid, with one line for each fault. It names variables and never contains their values. */
export class ConfigurationError extends Error {
  readonly faults: string[];

  constructor(faults: string[]) {
    super(['The configuration is not usable:', ...faults.map((fault) => `  ${fault}`)].join('\n'));
    this.name = 'ConfigurationError';
    this.faults = faults;
  }
}

/** Reads the configuration. @throws ConfigurationError that names every variable that is missing or wrong. */
export function readConfig(env: NodeJS.ProcessEnv) {
  const isProduction = env['NODE_ENV'] === 'production';
  const values = readVariables(env, isProduction);
  return {
    isProduction,
    commit: values.BUILD_COMMIT || null,
    role: values.ROLE,
    port: values.PORT,
    host: values.LISTEN_HOST,
    logLevel: values.LOG_LEVEL,
    databaseUrl: values.DATABASE_URL,
    databasePoolSize: values.DATABASE_POOL_SIZE,
    databaseBehind: { pooler: values.DATABASE_POOLER, plans: values.DATABASE_PLANS },
    decisionsPerCommit: values.DECISIONS_PER_COMMIT,
    erasureDatabaseUrl: values.ERASURE_DATABASE_URL,
    workerConcurrency: values.WORKER_CONCURRENCY,
    processDeadAfterMs: values.PROCESS_DEAD_AFTER_SECONDS * 1_000,
    publicBaseUrl: values.PUBLIC_BASE_URL.replace(/\/+$/, ''),
    session: { secrets: values.SESSION_SECRET, ttlSeconds: values.SESSION_TTL_SECONDS },
    masterKeys: values.PII_ENCRYPTION_KEY,
    opensUnversioned: values.OPEN_UNVERSIONED_VALUES,
    searchKeys: values.SEARCH_KEY,
    webhookSecret: values.WEBHOOK_SECRET,
    isBesideSandbox: values.PROVIDER_NAME === 'sandbox',
    provider: {
      name: values.PROVIDER_NAME,
      baseUrl: values.PROVIDER_BASE_URL.replace(/\/+$/, ''),
      username: values.PROVIDER_USERNAME,
      passwords: values.PROVIDER_PASSWORD,
      companyId: values.PROVIDER_COMPANY_ID,
      kycEvent: values.PROVIDER_KYC_EVENT ?? null,
      timeoutMs: values.PROVIDER_TIMEOUT_MS,
      interactiveWaitMs: values.PROVIDER_INTERACTIVE_WAIT_MS,
      interactiveTimeoutMs: values.PROVIDER_INTERACTIVE_TIMEOUT_MS,
      concurrency: values.PROVIDER_CONCURRENCY,
    },
    identity: {
      identity_provider_a: {
        issuers: values.IDENTITY_A_ISSUER,
        jwksUrl: values.IDENTITY_A_JWKS_URL,
        audiences: values.IDENTITY_A_AUDIENCE,
      },
      identity_provider_b: {
        issuers: values.IDENTITY_B_ISSUER,
        jwksUrl: values.IDENTITY_B_JWKS_URL,
        audiences: values.IDENTITY_B_AUDIENCE,
      },
    },
    usdcAccountsEnabled: values.USDC_ACCOUNTS_ENABLED,
    serviceSpreadBps: values.SERVICE_SPREAD_BPS,
    makeWholeCapBps: values.MAKE_WHOLE_CAP_BPS,
    returnCapBps: values.RETURN_CAP_BPS,
    returnCapMinMinor: values.RETURN_CAP_MIN_MINOR,
    returnAfterMs: values.RETURN_AFTER_HOURS * HOUR_MS,
    codeExpiresSoonMs: values.CODE_EXPIRES_SOON_SECONDS * 1_000,
    payerInstitution: values.PAYER_INSTITUTION ?? null,
    requiresBankMatch: values.REQUIRE_BANK_MATCH,
    withdrawNameCheck: values.WITHDRAW_NAME_CHECK,
    maxConnections: values.MAX_CONNECTIONS,
    trustedProxies: values.TRUSTED_PROXIES,
    bodyLimitBytes: values.BODY_LIMIT,
    verificationHosts: values.VERIFICATION_HOSTS,
    corsOrigins: values.CORS_ORIGINS,
    metricsPort: values.METRICS_PORT,
    metricsHost: values.METRICS_HOST,
    prometheusUrl: values.PROMETHEUS_URL?.replace(/\/+$/, '') ?? null,
    tracing: tracingIn(values),
    shutdownDelayMs: values.SHUTDOWN_DELAY_SECONDS * 1_000,
  };
}

/** Reads the configuration of support's command line. @throws ConfigurationError, as `readConfig`. */
export function readSupportConfig(env: NodeJS.ProcessEnv) {
  const { BUILD_COMMIT, DATABASE_URL, SEARCH_KEY, PROMETHEUS_URL } = variables(false);
  const supports = { BUILD_COMMIT, DATABASE_URL, SEARCH_KEY, PROMETHEUS_URL };
  const values = cleanEnv(env, supports, { reporter: ({ errors }) => throwAllFaults(errors, env) });
  return {
    commit: values.BUILD_COMMIT || null,
    databaseUrl: values.DATABASE_URL,
    searchKeys: values.SEARCH_KEY,
    prometheusUrl: values.PROMETHEUS_URL?.replace(/\/+$/, '') ?? null,
    provider: null,
  };
}

/** Returns the settings of tracing. Null: nothing is traced. */
const tracingIn = (values: Variables) =>
  values.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
    ? null
    : {
        endpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT,
        serviceName: values.OTEL_SERVICE_NAME,
        sampler: values.OTEL_TRACES_SAMPLER,
        ratio: values.OTEL_TRACES_SAMPLER_ARG,
        trustsCallers: values.TRUST_INCOMING_TRACES,
      };

type Variables = ReturnType<typeof readVariables>;

const readVariables = (env: NodeJS.ProcessEnv, isProduction: boolean) =>
  cleanEnv(env, variables(isProduction), { reporter: ({ errors }) => throwAllFaults(errors, env) });

/** The variables, with their checks and defaults. */
const variables = (isProduction: boolean) => ({
  // An image that was built without its argument has an empty value.
  BUILD_COMMIT: textThat(
    (text) => /^([0-9a-f]{7,64})?$/.test(text),
    'must be the hash of a commit',
  )({ default: '' }),
  ROLE: oneOf(['all', 'api', 'worker'])({ default: 'all' }),
  PORT: port({ default: 3000 }),
  LISTEN_HOST: wording({ default: undefined }),
  LOG_LEVEL: oneOf(['silent', 'error', 'warn', 'info', 'debug'])({ default: 'info' }),
  DATABASE_URL: databaseUrl(),
  DATABASE_POOL_SIZE: positive({ default: 20 }),
  // Through a pooler in transaction mode, each transaction may get another connection of the server.
  DATABASE_POOLER: oneOf(['none', 'transaction'])({ default: 'none' }),
  DATABASE_PLANS: oneOf(['generic', 'custom'])({ default: 'generic' }),
  // On several servers, a commit for several users is a two-phase commit.
  DECISIONS_PER_COMMIT: positive({ default: 20 }),
  ERASURE_DATABASE_URL: databaseUrl({ default: undefined }),
  WORKER_CONCURRENCY: positive({ default: 20 }),
  PROCESS_DEAD_AFTER_SECONDS: positive({ default: 10 }),
  PUBLIC_BASE_URL: address(),
  SESSION_SECRET: secrets(),
  SESSION_TTL_SECONDS: positive({ default: 30 * 24 * 60 * 60 }),
  PII_ENCRYPTION_KEY: masterKeys(),
  OPEN_UNVERSIONED_VALUES: flag({ default: true }),
  SEARCH_KEY: secrets({ default: [] }),
  WEBHOOK_SECRET: pathSecret(),
  PROVIDER_NAME: wording(),
  PROVIDER_BASE_URL: address(),
  PROVIDER_USERNAME: wording(),
  PROVIDER_PASSWORD: passwords(),
  PROVIDER_COMPANY_ID: wording(),
  PROVIDER_KYC_EVENT: wording({ default: undefined }),
  PROVIDER_TIMEOUT_MS: positive({ default: 10_000 }),
  PROVIDER_INTERACTIVE_WAIT_MS: positive({ default: 2_000 }),
  PROVIDER_INTERACTIVE_TIMEOUT_MS: positive({ default: 5_000 }),
  PROVIDER_CONCURRENCY: wholeNumber(1, 1_000)({ default: 40 }),
  IDENTITY_A_ISSUER: issuers(),
  IDENTITY_A_JWKS_URL: address(),
  IDENTITY_A_AUDIENCE: audiences(),
  IDENTITY_B_ISSUER: issuers(),
  IDENTITY_B_JWKS_URL: address(),
  IDENTITY_B_AUDIENCE: audiences(),
  ALLOW_PLAIN_HTTP: flag({ default: false }),
  USDC_ACCOUNTS_ENABLED: flag({ default: false }),
  SERVICE_SPREAD_BPS: basisPoints({ default: 100 }),
  MAKE_WHOLE_CAP_BPS: basisPoints({ default: 100 }),
  RETURN_CAP_BPS: basisPoints({ default: 200 }),
  RETURN_CAP_MIN_MINOR: wholeNumber(0, 100_000)({ default: 20 }),
  RETURN_AFTER_HOURS: wholeNumber(leastReturnHours(isProduction), 8_760)({ default: LEAST_RETURN_HOURS }),
  CODE_EXPIRES_SOON_SECONDS: wholeNumber(0, 86_400)({ default: 600 }),
  PAYER_INSTITUTION: wording({ default: undefined }),
  REQUIRE_BANK_MATCH: flag({ default: false }),
  WITHDRAW_NAME_CHECK: oneOf(['off', 'inform', 'require'])({ default: 'off' }),
  MAX_CONNECTIONS: wholeNumber(2, 1_000_000)({ default: 2_000 }),
  TRUSTED_PROXIES: networks({ default: [] }),
  BODY_LIMIT: byteSize({ default: 10 * 1024 * 1024 }),
  VERIFICATION_HOSTS: hosts({ default: [] }),
  CORS_ORIGINS: origins({ default: [] }),
  METRICS_PORT: port({ default: undefined }),
  METRICS_HOST: wording({ default: '127.0.0.1' }),
  // Only the operators' command line reads it.
  PROMETHEUS_URL: addressOpen({ default: undefined }),
  OTEL_EXPORTER_OTLP_ENDPOINT: address({ default: undefined }),
  OTEL_SERVICE_NAME: wording({ default: 'ponte' }),
  OTEL_TRACES_SAMPLER: oneOf(samplerNames)({ default: 'parentbased_traceidratio' }),
  OTEL_TRACES_SAMPLER_ARG: share({ default: 0.01 }),
  TRUST_INCOMING_TRACES: flag({ default: false }),
  SHUTDOWN_DELAY_SECONDS: wholeNumber(0, 3_600)({ default: isProduction ? 5 : 0 }),
});

const leastReturnHours = (isProduction: boolean): number => (isProduction ? LEAST_RETURN_HOURS : 0);

const throwAllFaults = (errors: Partial<Record<string, Error>>, env: NodeJS.ProcessEnv) => {
  const faults = Object.entries(errors).map(([name, error]) =>
    error instanceof EnvMissingError ? `${name} is not set` : `${name} ${error?.message}`,
  );
  for (const name of publishedSecretsIn(env))
    faults.push(`${name} is an example that is published with the sources: make one of your own`);
  for (const name of plainHttpIn(env))
    faults.push(
      `${name} must begin with https://, or lead to this machine; ALLOW_PLAIN_HTTP=true allows http://`,
    );
  if (faults.length > 0) throw new ConfigurationError(faults);
};

/** Returns the variables with URLs that the service calls with a password, or whose responses decide who signs in. */
const upstreamsIn = ({ OTEL_EXPORTER_OTLP_HEADERS: credentials }: NodeJS.ProcessEnv): string[] => [
  'PROVIDER_BASE_URL',
  'IDENTITY_A_JWKS_URL',
  'IDENTITY_B_JWKS_URL',
  ...(credentials === undefined ? [] : ['OTEL_EXPORTER_OTLP_ENDPOINT']),
];

/** Returns the variables whose URLs use plain HTTP in production. On the way, others could read and change that traffic. */
function plainHttpIn(env: NodeJS.ProcessEnv): string[] {
  const { NODE_ENV: kind, ALLOW_PLAIN_HTTP: isAllowed } = env;
  if (kind !== 'production' || isAllowed === 'true') return [];
  return upstreamsIn(env).filter((name) => {
    const url = env[name] ?? '';
    return URL.canParse(url) && new URL(url).protocol === 'http:' && !isLoopback(url);
  });
}

const oneOf = <const Choice extends string>(choices: readonly Choice[]) =>
  makeValidator<Choice>((text) =>
    must(choices.includes(text as Choice), text as Choice, `must be one of ${choices.join(', ')}`),
  );
const wholeNumber = (least: number, max: number) =>
  makeValidator<number>((text) => {
    const value = Number(text);
    const isWithin = /^\d+$/.test(text) && value >= least && value <= max;
    return must(isWithin, value, `must be a whole number from ${least} to ${max}`);
  });
const port = wholeNumber(0, 65_535);
const positive = wholeNumber(1, Number.MAX_SAFE_INTEGER);
const basisPoints = wholeNumber(0, 10_000);
const share = makeValidator<number>((text) =>
  must(/^(0(\.\d+)?|1(\.0+)?)$/.test(text), Number(text), 'must be a number from 0 to 1'),
);
const flag = makeValidator<boolean>((text) =>
  must(text === 'true' || text === 'false', text === 'true', 'must be true or false'),
);
const byteSize = makeValidator<number>((text) => {
  const [, digits = '', unit = ''] = /^(\d+)(b|kb|mb)$/i.exec(text) ?? [];
  const powers = ['b', 'kb', 'mb'];
  const bytes = Number(digits) * 1024 ** powers.indexOf(unit.toLowerCase());
  return must(digits !== '', bytes, 'must be a size such as 10mb');
});

const textThat = (isValid: (text: string) => boolean, fault: string) =>
  makeValidator<string>((text) => must(isValid(text), text, fault));
const wording = textThat((text) => text.trim() !== '', 'must not be empty');
const address = textThat(
  (text) => /^https?:\/\/[^/]/i.test(text) && URL.canParse(text),
  'must be an address beginning with http:// or https://',
);
/** The address of a server that is asked without a password, so that the address can be printed. */
const addressOpen = textThat((text) => {
  const url = /^https?:\/\/[^/]/i.test(text) ? URL.parse(text) : null;
  return url !== null && [url.username, url.password, url.search, url.hash].every((part) => part === '');
}, 'must be an address beginning with http:// or https://, without user name, password or query');
const databaseUrl = textThat(
  (text) => /^postgres(ql)?:\/\//.test(text) && URL.canParse(text),
  'must be a postgres:// address',
);
const pathSecret = textThat(
  (text) => /^[A-Za-z0-9_-]{32,}$/.test(text),
  'must be at least 32 letters, digits, - or _: it goes into a path',
);

/** Entries that are separated by commas. */
const listThat = (areValid: (entries: string[]) => boolean, fault: string) =>
  makeValidator<string[]>((text) => {
    const entries = text.split(',').map((entry) => entry.trim());
    return must(areValid(entries), entries, fault);
  });
const areDistinct = (entries: string[]): boolean => new Set(entries).size === entries.length;
/** @param what the things in the list, for the fault. */
const distinctTexts = (what: string) =>
  listThat(
    (entries) => entries.every((entry) => entry !== '') && areDistinct(entries),
    `must be ${what}, several separated by commas, each of them once`,
  );
/** The audiences that an ID token may be issued for: one per app, or per platform of an app. */
const audiences = distinctTexts('app ids');
/** The spellings of one identity provider's issuer in its ID tokens. */
const issuers = distinctTexts('issuers');
/** Secrets of which the first one makes what is new, and all of them are accepted: sessions, search hashes. */
const secrets = listThat(
  (entries) => entries.every((entry) => Buffer.byteLength(entry) >= 32) && areDistinct(entries),
  'must be at least 32 bytes long; several differ and are separated by commas',
);
/** The provider's password, or two during its change. */
const passwords = makeValidator<string[]>((text) => {
  const entries = text.split(',');
  const trimmed = entries.map((entry) => entry.trim());
  return must(
    entries.length <= 2 && !trimmed.includes('') && areDistinct(trimmed),
    entries.length === 1 ? entries : trimmed,
    'must be a password without a comma, or two that differ, separated by a comma',
  );
});
const origins = listThat(
  (entries) => entries.every((entry) => URL.parse(entry)?.origin === entry),
  'must be origins such as https://app.example, separated by commas',
);
const networks = listThat(
  (entries) => areNetworks(entries),
  'must be networks such as 10.0.0.0/8, separated by commas',
);
const hosts = listThat(
  (entries) => entries.every((entry) => URL.parse(`https://${entry}`)?.hostname === entry),
  'must be hosts such as verify.example.com, separated by commas',
);

/** Master keys: `id:base64` entries separated by commas. The first one wraps new data keys. A bare base64 key has the id `1`. */
const masterKeys = makeValidator<MasterKey[]>((text) => {
  const keys = text.split(',').map((entry): MasterKey => {
    const [id, base64] = entry.includes(':') ? (entry.split(':', 2) as [string, string]) : ['1', entry];
    return { id: id.trim(), key: Buffer.from(base64.trim(), 'base64') };
  });
  return must(
    areDistinct(keys.map(({ id }) => id)) &&
      keys.every(({ id, key }) => /^[\w-]{1,64}$/.test(id) && key.length === 32),
    keys,
    'must be id:base64 of 32 bytes, several separated by commas, each with its own id',
  );
});

function areNetworks(entries: string[]): boolean {
  try {
    blockListOf(entries);
    return true;
  } catch {
    return false;
  }
}

function must<T>(holds: boolean, value: T, fault: string): T {
  if (!holds) throw new Error(fault);
  return value;
}
