// Reads the configuration from the environment and checks it before anything starts. All faults are reported together.
import { cleanEnv, EnvMissingError, makeValidator } from 'envalid';
import { isLoopback } from '../domain/address.ts';
import { type SamplerName, samplerNames } from '../platform/tracing/sampler-names.ts';
import { publishedSecretsIn } from './published-secrets.ts';

const HOUR_MS = 60 * 60_000;
/** In production a failed payout is returned at the earliest after this time, because its bank may still complete it. */
const LEAST_RETURN_HOURS = 24;

type MasterKey = { id: string; key: Buffer };
export type Role = 'all' | 'api' | 'worker';
/**
 * The connection between the service and PostgreSQL: direct, or through a pooler that lends a server
 * connection for one transaction.
 */
type Pooler = 'none' | 'transaction';
export type Config = ReturnType<typeof readConfig>;

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
  const values = cleanEnv(
    env,
    {
      ROLE: oneOf<Role>(['all', 'api', 'worker'])({ default: 'all' }),
      PORT: port({ default: 3000 }),
      LISTEN_HOST: wording({ default: undefined }),
      LOG_LEVEL: oneOf(['silent', 'error', 'warn', 'info', 'debug'])({ default: 'info' }),
      DATABASE_URL: databaseUrl(),
      DATABASE_POOL_SIZE: positive({ default: 20 }),
      DATABASE_POOLER: oneOf<Pooler>(['none', 'transaction'])({ default: 'none' }),
      ERASURE_DATABASE_URL: databaseUrl({ default: undefined }),
      WORKER_CONCURRENCY: positive({ default: 20 }),
      PROCESS_DEAD_AFTER_SECONDS: positive({ default: 10 }),
      PUBLIC_BASE_URL: address(),
      SESSION_SECRET: secrets(),
      SESSION_TTL_SECONDS: positive({ default: 30 * 24 * 60 * 60 }),
      PII_ENCRYPTION_KEY: masterKeys(),
      OPEN_UNVERSIONED_VALUES: flag({ default: true }),
      WEBHOOK_SECRET: pathSecret(),
      PROVIDER_NAME: wording(),
      PROVIDER_BASE_URL: address(),
      PROVIDER_USERNAME: wording(),
      PROVIDER_PASSWORD: wording(),
      PROVIDER_COMPANY_ID: wording(),
      PROVIDER_KYC_EVENT: wording({ default: undefined }),
      PROVIDER_TIMEOUT_MS: positive({ default: 10_000 }),
      PROVIDER_CONCURRENCY: callsAtOnce({ default: 40 }),
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
      RETURN_AFTER_HOURS: hours(env['NODE_ENV'] === 'production' ? LEAST_RETURN_HOURS : 0)({
        default: LEAST_RETURN_HOURS,
      }),
      REQUIRE_BANK_MATCH: flag({ default: false }),
      BODY_LIMIT: byteSize({ default: 10 * 1024 * 1024 }),
      VERIFICATION_HOSTS: hosts({ default: [] }),
      CORS_ORIGINS: origins({ default: [] }),
      METRICS_PORT: port({ default: undefined }),
      METRICS_HOST: wording({ default: '127.0.0.1' }),
      OTEL_EXPORTER_OTLP_ENDPOINT: address({ default: undefined }),
      OTEL_SERVICE_NAME: wording({ default: 'ponte' }),
      OTEL_TRACES_SAMPLER: oneOf<SamplerName>([...samplerNames])({ default: 'parentbased_traceidratio' }),
      OTEL_TRACES_SAMPLER_ARG: share({ default: 0.01 }),
      TRUST_INCOMING_TRACES: flag({ default: false }),
      SHUTDOWN_DELAY_SECONDS: delay({ default: env['NODE_ENV'] === 'production' ? 5 : 0 }),
    },
    { reporter: ({ errors }) => throwAllFaults(errors, env) },
  );
  return {
    isProduction: env['NODE_ENV'] === 'production',
    role: values.ROLE,
    port: values.PORT,
    host: values.LISTEN_HOST,
    logLevel: values.LOG_LEVEL,
    databaseUrl: values.DATABASE_URL,
    databasePoolSize: values.DATABASE_POOL_SIZE,
    databasePooler: values.DATABASE_POOLER,
    erasureDatabaseUrl: values.ERASURE_DATABASE_URL,
    workerConcurrency: values.WORKER_CONCURRENCY,
    processDeadAfterMs: values.PROCESS_DEAD_AFTER_SECONDS * 1_000,
    publicBaseUrl: values.PUBLIC_BASE_URL.replace(/\/+$/, ''),
    session: { secrets: values.SESSION_SECRET, ttlSeconds: values.SESSION_TTL_SECONDS },
    masterKeys: values.PII_ENCRYPTION_KEY,
    opensUnversioned: values.OPEN_UNVERSIONED_VALUES,
    webhookSecret: values.WEBHOOK_SECRET,
    provider: {
      name: values.PROVIDER_NAME,
      baseUrl: values.PROVIDER_BASE_URL.replace(/\/+$/, ''),
      username: values.PROVIDER_USERNAME,
      password: values.PROVIDER_PASSWORD,
      companyId: values.PROVIDER_COMPANY_ID,
      kycEvent: values.PROVIDER_KYC_EVENT ?? null,
      timeoutMs: values.PROVIDER_TIMEOUT_MS,
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
    returnAfterMs: values.RETURN_AFTER_HOURS * HOUR_MS,
    requiresBankMatch: values.REQUIRE_BANK_MATCH,
    bodyLimitBytes: values.BODY_LIMIT,
    verificationHosts: values.VERIFICATION_HOSTS,
    corsOrigins: values.CORS_ORIGINS,
    metricsPort: values.METRICS_PORT,
    metricsHost: values.METRICS_HOST,
    /** Null: nothing is traced. */
    tracing:
      values.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
        ? null
        : {
            endpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT,
            serviceName: values.OTEL_SERVICE_NAME,
            sampler: values.OTEL_TRACES_SAMPLER,
            ratio: values.OTEL_TRACES_SAMPLER_ARG,
            trustsCallers: values.TRUST_INCOMING_TRACES,
          },
    shutdownDelayMs: values.SHUTDOWN_DELAY_SECONDS * 1_000,
  };
}

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

const oneOf = <Choice extends string>(choices: Choice[]) =>
  makeValidator<Choice>((text) =>
    must(choices.includes(text as Choice), text as Choice, `must be one of ${choices.join(', ')}`),
  );
const wording = makeValidator<string>((value) => must(value.trim() !== '', value, 'must not be empty'));
/** @param what the things in the list, for the fault. */
const distinctTexts = (what: string) =>
  makeValidator<string[]>((text) => {
    const list = text.split(',').map((entry) => entry.trim());
    return must(
      list.every((entry) => entry !== '') && new Set(list).size === list.length,
      list,
      `must be ${what}, several separated by commas, each of them once`,
    );
  });
/** The audiences that an ID token may be issued for: one per app, or per platform of an app. */
const audiences = distinctTexts('app ids');
/** The spellings of one identity provider's issuer in its ID tokens. */
const issuers = distinctTexts('issuers');
const address = makeValidator<string>((value) =>
  must(
    /^https?:\/\/[^/]/i.test(value) && URL.canParse(value),
    value,
    'must be an address beginning with http:// or https://',
  ),
);
const port = makeValidator<number>((value) => wholeNumber(value, 0, 65_535));
const databaseUrl = makeValidator<string>((text) =>
  must(/^postgres(ql)?:\/\//.test(text) && URL.canParse(text), text, 'must be a postgres:// address'),
);
/** Session secrets: the first one signs, all of them verify. */
const secrets = makeValidator<string[]>((text) => {
  const list = text.split(',').map((entry) => entry.trim());
  return must(
    list.every((entry) => Buffer.byteLength(entry) >= 32) && new Set(list).size === list.length,
    list,
    'must be at least 32 bytes long; several differ and are separated by commas',
  );
});
const pathSecret = makeValidator<string>((text) =>
  must(
    /^[A-Za-z0-9_-]{32,}$/.test(text),
    text,
    'must be at least 32 letters, digits, - or _: it goes into a path',
  ),
);
const positive = makeValidator<number>((text) => wholeNumber(text, 1, Number.MAX_SAFE_INTEGER));
const delay = makeValidator<number>((text) => wholeNumber(text, 0, 3_600));
const callsAtOnce = makeValidator<number>((text) => wholeNumber(text, 1, 1_000));
const hours = (least: number) => makeValidator<number>((text) => wholeNumber(text, least, 8_760));
const basisPoints = makeValidator<number>((text) => wholeNumber(text, 0, 10_000));
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
const origins = makeValidator<string[]>((text) => {
  const list = text.split(',').map((origin) => origin.trim());
  return must(
    list.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin),
    list,
    'must be origins such as https://app.example, separated by commas',
  );
});

const hosts = makeValidator<string[]>((text) => {
  const list = text.split(',').map((host) => host.trim());
  return must(
    list.every((host) => URL.canParse(`https://${host}`) && new URL(`https://${host}`).hostname === host),
    list,
    'must be hosts such as verify.example.com, separated by commas',
  );
});

/** Master keys: `id:base64` entries separated by commas. The first one wraps new data keys. A bare base64 key has the id `1`. */
const masterKeys = makeValidator<MasterKey[]>((text) => {
  const keys = text.split(',').map((entry): MasterKey => {
    const [id, base64] = entry.includes(':') ? (entry.split(':', 2) as [string, string]) : ['1', entry];
    return { id: id.trim(), key: Buffer.from(base64.trim(), 'base64') };
  });
  const distinct = new Set(keys.map(({ id }) => id)).size === keys.length;
  return must(
    distinct && keys.every(({ id, key }) => /^[\w-]{1,64}$/.test(id) && key.length === 32),
    keys,
    'must be id:base64 of 32 bytes, several separated by commas, each with its own id',
  );
});

function wholeNumber(text: string, least: number, most: number): number {
  const value = Number(text);
  return must(
    /^\d+$/.test(text) && value >= least && value <= most,
    value,
    `must be a whole number from ${least} to ${most}`,
  );
}

function must<T>(holds: boolean, value: T, fault: string): T {
  if (!holds) throw new Error(fault);
  return value;
}
