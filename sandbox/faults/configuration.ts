// The configuration of the faults: a chance for each, and the parameters. It is read from any JSON.
import { refuse } from '../provider/refusal.ts';
import { FAULTS, GROUPS, type Group, isWhole, PARAMETERS } from './registry.ts';

/** The chances are from 0 to 1. Every name is present. */
export type FaultConfiguration = { seed: number } & {
  [G in Group]: Record<keyof (typeof FAULTS)[G] | keyof (typeof PARAMETERS)[G], number>;
};

/**
 * Reads the configuration and fills in defaults.
 * @throws one refusal that names every value it cannot use.
 */
export function readFaultConfiguration(body: unknown): FaultConfiguration {
  const problems: string[] = [];
  const fields = fieldsOf(body, 'the configuration', problems);
  reportUnknown(fields, ['seed', ...GROUPS], '', problems);
  const groups = GROUPS.map((group) => [group, readGroup(group, fields[group] ?? {}, problems)]);
  const seed = fields['seed'] ?? 0;
  if (!isWhole(seed, Number.MAX_SAFE_INTEGER)) problems.push('seed must be a whole number, zero or more');
  if (problems.length > 0) throw refuse('invalid_request', problems.join('; '));
  return { seed, ...Object.fromEntries(groups) } as FaultConfiguration;
}

function readGroup(group: Group, body: unknown, problems: string[]): Record<string, unknown> {
  const fields = fieldsOf(body, group, problems);
  const rules = {
    ...Object.fromEntries(Object.keys(FAULTS[group]).map((name) => [name, null])),
    ...(PARAMETERS[group] as Record<string, { otherwise: number; max: number }>),
  };
  reportUnknown(fields, Object.keys(rules), `${group}.`, problems);
  const read = ([name, parameter]: [string, { otherwise: number; max: number } | null]) => {
    const value = fields[name] ?? parameter?.otherwise ?? 0;
    if (parameter === null && !(typeof value === 'number' && value >= 0 && value <= 1))
      problems.push(`${group}.${name} must be a number from 0 to 1`);
    if (parameter !== null && !isWhole(value, parameter.max))
      problems.push(`${group}.${name} must be a whole number from 0 to ${parameter.max}`);
    return [name, value];
  };
  return Object.fromEntries(Object.entries(rules).map(read)) as Record<string, unknown>;
}

function fieldsOf(body: unknown, name: string, problems: string[]): Record<string, unknown> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body))
    return body as Record<string, unknown>;
  problems.push(`${name} must be a JSON object`);
  return {};
}

function reportUnknown(fields: object, names: string[], prefix: string, problems: string[]): void {
  for (const name of Object.keys(fields).filter((one) => !names.includes(one)))
    problems.push(`${prefix}${name.slice(0, 60)} is not known here, only ${names.join(', ')}`);
}
