// The two questions that only a registry can answer: known vulnerabilities and signatures of packages. The address of the registry may be
// private, so it is never printed.
import { npm } from './npm.ts';

type Advisory = { name: string; title: string; url: string; severity: string };
type Audit = {
  auditReportVersion?: number;
  vulnerabilities?: Record<string, { via: (string | Advisory)[] }>;
};
type Package = { name: string; version: string };
type Signatures = { invalid?: Package[]; missing?: Package[] };

/** Advisories that cannot be avoided yet, by their `GHSA-...` id: the last day on which each is accepted, at most 30 days ahead. */
const acceptedUntil: Record<string, string> = {};

/** @returns the vulnerabilities of high and critical severity, in production and in development. Null without an answer. */
export async function faultsInAdvisories(folder: string): Promise<string[] | null> {
  const answer = (await ask(folder, ['audit'])) as Audit;
  if (answer.auditReportVersion === undefined) return null;
  const today = new Date().toISOString().slice(0, 10);
  return Object.values(answer.vulnerabilities ?? {})
    .flatMap(({ via }) => via.filter((cause) => typeof cause !== 'string'))
    .filter(({ severity }) => severity === 'high' || severity === 'critical')
    .filter(({ url }) => (acceptedUntil[url.split('/').at(-1) ?? ''] ?? '') < today)
    .map(({ name, severity, title, url }) => `${name}: ${severity}, ${title}, ${url}`);
}

/** @returns the installed packages whose signature is invalid or missing. Null without an answer. */
export async function faultsInSignatures(folder: string): Promise<string[] | null> {
  const { invalid, missing = [] } = (await ask(folder, ['audit', 'signatures'])) as Signatures;
  if (invalid === undefined) return null;
  return [...invalid, ...missing].map(({ name, version }) => `${name}@${version} has no valid signature`);
}

const ask = async (folder: string, command: string[]): Promise<unknown> =>
  JSON.parse(
    await npm(folder, [
      ...command,
      '--json',
      '--fetch-retries=1',
      '--fetch-retry-mintimeout=1000',
      '--fetch-timeout=20000',
    ]),
  ) as unknown;
