// The sandbox's options, and how a process reads them.
import type { RequestHandler } from 'express';

/** How movements name the conversion or payout that caused them. `mixed` chooses one of the others for each movement. */
export const REFERENCES = ['handle', 'uuid', 'nothing', 'mixed'] as const;
export type References = (typeof REFERENCES)[number];

export interface SandboxOptions {
  /** 0 takes any free port. */
  port: number;
  /** The address to listen on. Null listens on all addresses of this machine. */
  host: string | null;
  /** A folder, or `:memory:` for a sandbox that keeps nothing. */
  data: string;
  username: string;
  password: string;
  companyId: string;
  /** The sandbox's public address, used in hosted pages and as the issuer of ID tokens. Null uses the address of the port. */
  baseUrl: string | null;
  /** How long conversions, payouts and verifications stay PENDING, in milliseconds. */
  settleMs: number;
  /** How long an account is PROVISIONING, in milliseconds. */
  activateMs: number;
  /** The delay of the magic values for slowness, in milliseconds. */
  slowMs: number;
  references: References;
  /** Additional pages, by the path that they are served under. */
  pages: Record<string, RequestHandler>;
  /** Returns the handles that the client derives from one of its own ids. With them, the console finds the objects of such an id. */
  handlesOf: (id: string) => string[];
  now: () => number;
  log: (line: string) => void;
}

export const DEFAULTS: SandboxOptions = {
  port: 4010,
  host: null,
  data: '.data/sandbox',
  username: 'sandbox',
  password: 'sandbox-password',
  companyId: 'sandbox-company',
  baseUrl: null,
  settleMs: 300,
  activateMs: 500,
  slowMs: 600_000,
  references: 'handle',
  pages: {},
  handlesOf: () => [],
  now: Date.now,
  log: console.error,
};

/**
 * Reads the options from an environment.
 * @throws one error that names every value it cannot use.
 */
export function optionsFrom(env: NodeJS.ProcessEnv): SandboxOptions {
  const faults: string[] = [];
  const text = (name: string, otherwise: string) => env[name]?.trim() || otherwise;
  const count = (name: string, otherwise: number, max = 86_400_000) => {
    const value = Number(text(name, String(otherwise)));
    if (!Number.isInteger(value) || value < 0 || value > max)
      faults.push(`${name} must be a whole number from 0 to ${max}`);
    return value;
  };
  const references = REFERENCES.find((one) => one === text('SANDBOX_REFERENCES', DEFAULTS.references));
  if (references === undefined) faults.push(`SANDBOX_REFERENCES must be one of ${REFERENCES.join(', ')}`);
  const options: SandboxOptions = {
    ...DEFAULTS,
    ...(references !== undefined && { references }),
    port: count('SANDBOX_PORT', DEFAULTS.port, 65_535),
    host: text('SANDBOX_HOST', '') || null,
    data: text('SANDBOX_DATA', DEFAULTS.data),
    username: text('PROVIDER_USERNAME', DEFAULTS.username),
    password: text('PROVIDER_PASSWORD', DEFAULTS.password),
    companyId: text('PROVIDER_COMPANY_ID', DEFAULTS.companyId),
    baseUrl: text('SANDBOX_BASE_URL', '').replace(/\/+$/, '') || null,
    settleMs: count('SANDBOX_SETTLE_MS', DEFAULTS.settleMs),
    activateMs: count('SANDBOX_ACTIVATE_MS', DEFAULTS.activateMs),
    slowMs: count('SANDBOX_SLOW_MS', DEFAULTS.slowMs),
  };
  if (options.baseUrl !== null && !URL.canParse(options.baseUrl))
    faults.push('SANDBOX_BASE_URL must be an address');
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return options;
}
