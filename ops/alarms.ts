// Asks Prometheus which alarms fire. An empty list proves nothing if Prometheus reaches no process or evaluates no rules, so each answer
// also says what it could not see.
import { reasonOf } from '../src/domain/reason-of.ts';

const ANSWERS_WITHIN_MS = 5_000;
/** The alert that always fires. Its absence means that the rules are not evaluated. */
const WATCHDOG = 'PonteWatchdog';
/** The names of the shipped rules and examples begin so. Rules of other services may share the Prometheus. */
const OURS = /^(Ponte|Postgres)/;
const PROCESSES = 'up{job="ponte"}';
const MAX_NAMED = 5;

export type Alarm = {
  name: string;
  severity: string;
  /** When its condition became true. */
  since: Date;
  summary: string;
  /** The page of the runbook, such as `docs/runbook.md#the-outbox-grows`. */
  runbook: string;
};

/** `faults` are sentences that say what the list does not show. */
export type Alarms = { firing: Alarm[]; faults: string[] };

const NOT_ASKED = 'PROMETHEUS_URL is not set, so this page does not know which alarms fire.';
const FROM_DATABASE =
  'It reads the database alone: it does not see requests and sign-ins that fail, calls that the provider refuses, processes that ' +
  'are down, or traffic that stopped.';

/**
 * @param url the address of Prometheus, without a slash at its end. Null: Prometheus is not asked.
 * @param isDatabaseRead whether the page shows anything else.
 */
export async function readAlarms(url: string | null, { isDatabaseRead = true } = {}): Promise<Alarms> {
  if (url === null)
    return { firing: [], faults: [isDatabaseRead ? `${NOT_ASKED} ${FROM_DATABASE}` : NOT_ASKED] };
  try {
    const [alerts, processes] = await Promise.all([askAlerts(url), askProcesses(url)]);
    const isFiring = alerts.filter(({ state }) => state === 'firing');
    return {
      firing: isFiring.filter(isOurs).map(alarmOf).toSorted(byUrgency),
      faults: [...blindness(isFiring, processes), ...othersIn(isFiring)],
    };
  } catch (error) {
    return {
      firing: [],
      faults: [`${sentenceOf(error, url)} So this page does not know which alarms fire.`],
    };
  }
}

type Alert = {
  state: string;
  activeAt: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
};
type Process = { instance: string; isUp: boolean };

const nameOf = ({ labels }: Alert): string => labels['alertname'] ?? '';
const isOurs = (alert: Alert): boolean => OURS.test(nameOf(alert)) && nameOf(alert) !== WATCHDOG;

const alarmOf = (alert: Alert): Alarm => ({
  name: nameOf(alert),
  severity: alert.labels['severity'] ?? '',
  since: new Date(alert.activeAt),
  summary: alert.annotations['summary'] ?? '',
  runbook: alert.annotations['runbook_url'] ?? '',
});

/** Pages come before tickets, and the oldest first. */
const byUrgency = (one: Alarm, other: Alarm): number =>
  Number(other.severity === 'page') - Number(one.severity === 'page') ||
  one.since.getTime() - other.since.getTime();

function blindness(isFiring: Alert[], processes: Process[]): string[] {
  const down = processes.filter(({ isUp }) => !isUp).map(({ instance }) => instance);
  const faults: string[] = [];
  if (processes.length === 0)
    faults.push(
      'Prometheus scrapes no process under the job "ponte": no alarm sees the service. Check its scrape configuration.',
    );
  else if (down.length === processes.length)
    faults.push(
      `Prometheus reaches none of its ${down.length} processes (${namesOf(down)}): the alarms see nothing of the service. ` +
        'Check the processes, METRICS_PORT, METRICS_HOST and the network.',
    );
  else if (down.length > 0)
    faults.push(
      `Prometheus does not reach ${down.length} of ${processes.length} processes (${namesOf(down)}): no alarm sees what happens in them.`,
    );
  if (!isFiring.some((alert) => nameOf(alert) === WATCHDOG))
    faults.push(
      `${WATCHDOG} does not fire, so Prometheus does not evaluate the rules. Check its rule_files for deploy/prometheus/rules.yaml.`,
    );
  return faults;
}

function othersIn(isFiring: Alert[]): string[] {
  const names = [...new Set(isFiring.map(nameOf).filter((name) => !OURS.test(name)))];
  return names.length === 0 ? [] : [`Alarms of other rules also fire: ${namesOf(names)}.`];
}

const namesOf = (names: string[]): string =>
  [...names.slice(0, MAX_NAMED), ...(names.length > MAX_NAMED ? ['...'] : [])].join(', ');

async function askAlerts(url: string): Promise<Alert[]> {
  const path = '/api/v1/alerts';
  const { alerts } = await ask(url, path);
  if (!Array.isArray(alerts)) throw new NotPrometheus(path);
  return alerts.map((alert: unknown) => {
    const { state, activeAt, labels, annotations } = objectIn(alert, path);
    if (typeof state !== 'string' || typeof activeAt !== 'string' || Number.isNaN(Date.parse(activeAt)))
      throw new NotPrometheus(path);
    return { state, activeAt, labels: textsIn(labels, path), annotations: textsIn(annotations ?? {}, path) };
  });
}

async function askProcesses(url: string): Promise<Process[]> {
  const path = '/api/v1/query';
  const { resultType, result } = await ask(url, `${path}?query=${encodeURIComponent(PROCESSES)}`);
  if (resultType !== 'vector' || !Array.isArray(result)) throw new NotPrometheus(path);
  return result.map((series: unknown) => {
    const { metric, value } = objectIn(series, path);
    if (!Array.isArray(value)) throw new NotPrometheus(path);
    return { instance: textsIn(metric, path)['instance'] ?? '', isUp: value[1] === '1' };
  });
}

/** Returns the data of a successful answer. @throws an error for any other answer, or if none arrives in time. */
async function ask(url: string, path: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}${path}`, {
    redirect: 'manual',
    signal: AbortSignal.timeout(ANSWERS_WITHIN_MS),
  });
  const [address = ''] = path.split('?');
  if (response.status !== 200) throw new NotPrometheus(address, response.status);
  const text = await response.text();
  const { status, data } = objectIn(parsed(text), address);
  if (status !== 'success') throw new NotPrometheus(address);
  return objectIn(data, address);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function objectIn(value: unknown, path: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new NotPrometheus(path);
  return value as Record<string, unknown>;
}

function textsIn(value: unknown, path: string): Record<string, string> {
  const texts = objectIn(value, path);
  if (!Object.values(texts).every((text) => typeof text === 'string')) throw new NotPrometheus(path);
  return texts as Record<string, string>;
}

/** Thrown if an answer is not one of Prometheus. */
class NotPrometheus extends Error {
  constructor(path: string, status: number | null = null) {
    super(`answered ${path} with ${status ?? 'something else than Prometheus would'}`);
  }
}

const sentenceOf = (error: unknown, url: string): string =>
  error instanceof NotPrometheus
    ? `${url} ${error.message}: check that PROMETHEUS_URL is the address of a Prometheus that is ready.`
    : `Prometheus at ${url} did not answer (${reasonOf(error)}).`;
