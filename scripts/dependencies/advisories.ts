// Asks the registry for known vulnerabilities. High and critical ones fail the check, in production and in development. If the
// registry does not answer, the check prints NOT CHECKED. It then fails under `CI=true`, unless ACCEPT_UNCHECKED names it.
import { mayLeaveOut } from '../unchecked.ts';
import { npm } from './npm.ts';
import { type AdvisoryException, advisoryExceptions } from './policy.ts';
import type { Finding, Project } from './project.ts';

/** The longest time that an exception may last. By then there must be another solution, or the exception must be reconsidered. */
const LONGEST_DAYS = 30;
const serious = new Set(['high', 'critical']);

type Advisory = { name: string; title: string; url: string; severity: string };
type Vulnerable = { name: string; severity: string; via: (string | Advisory)[]; nodes: string[] };
type Answer = {
  auditReportVersion?: number;
  vulnerabilities?: Record<string, Vulnerable>;
  statusCode?: number;
  error?: { code?: string; summary?: string };
};

/** @param env can name another registry, and can accept that the registry does not answer. */
export async function checkAdvisories(
  project: Project,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Finding> {
  const asked = ['audit', '--json', '--fetch-retries=1', '--fetch-timeout=20000'];
  const finding = judge(project, JSON.parse(await npm(project.folder, asked, env)) as Answer);
  if (finding.isChecked || mayLeaveOut('advisories', env)) return finding;
  const unchecked = `${finding.said} (ACCEPT_UNCHECKED=advisories accepts that)`;
  return { ...finding, faults: [...finding.faults, unchecked] };
}

/**
 * @param answer what `npm audit --json` wrote.
 * @throws if npm had nothing to ask about, for example without a lock file.
 */
export function judge(
  { packages }: Pick<Project, 'packages'>,
  answer: Answer,
  exceptions: readonly AdvisoryException[] = advisoryExceptions,
  today: string = new Date().toISOString().slice(0, 10),
): Finding & { isChecked: boolean } {
  const expired = exceptions
    .filter(({ until }) => until < today)
    .map(({ advisory, until }) => `the exception for ${advisory} ended on ${until}`);
  const unexplained = exceptions
    .filter((one) => one.why.trim() === '' || !isDate(one.since) || !isDate(one.until))
    .map(({ advisory }) => `the exception for ${advisory} needs a reason and two dates`);
  const endless = exceptions
    .filter(({ since, until }) => daysBetween(since, until) > LONGEST_DAYS)
    .map(({ advisory }) => `the exception for ${advisory} lasts longer than ${LONGEST_DAYS} days`);
  const rules = [...expired, ...unexplained, ...endless];
  if (answer.auditReportVersion === undefined)
    return { isChecked: false, said: `NOT CHECKED: ${whyUnanswered(answer)}`, faults: rules };

  const production = new Set(packages.filter((one) => one.isHandedOn).map(({ place }) => place));
  const found = Object.values(answer.vulnerabilities ?? {}).flatMap(({ via, nodes }) =>
    via
      .filter((cause) => typeof cause !== 'string')
      .filter(({ severity }) => serious.has(severity))
      .map((cause) => ({ ...cause, use: nodes.some((place) => production.has(place)) })),
  );
  const isExcepted = ({ url, name }: Advisory): boolean =>
    exceptions.some((one) => idOf(url) === one.advisory && one.package === name && one.until >= today);
  const open = found.filter((one) => !isExcepted(one));
  const unneeded = exceptions
    .filter(({ advisory }) => !found.some(({ url }) => idOf(url) === advisory))
    .map(({ advisory }) => `the exception for ${advisory} is not needed any more`);
  return {
    isChecked: true,
    said: `${found.length} of high or critical severity, ${found.length - open.length} of them explained`,
    faults: [
      ...open.map(
        ({ name, severity, title, url, use }) =>
          `${name} (${use ? 'production' : 'development'}): ${severity}, ${title}, ${idOf(url)}`,
      ),
      ...rules,
      ...unneeded,
    ],
  };
}

/** Says why the registry did not answer, without its address, which is private. */
function whyUnanswered({ statusCode, error }: Answer): string {
  if (error?.code !== undefined && error.code !== '' && statusCode === undefined)
    throw new Error(`npm could not ask: ${error.code}`);
  return statusCode === undefined
    ? 'the registry could not be reached'
    : `the registry does not answer this question (${statusCode})`;
}

const idOf = (url: string): string => url.split('/').at(-1) ?? '';

const daysBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / 86_400_000;

const isDate = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text);
