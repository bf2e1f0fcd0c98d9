// The configuration of fault injection: a chance for each kind of fault, read from any JSON.
import { refuse } from '../provider/refusal.ts';
import { GROUPS, type Group, KINDS, MEASURES } from './kinds.ts';

/** The chances are from 0 to 1. Every name is present. */
export type FaultConfiguration = { seed: number } & {
  [G in Group]: Record<keyof (typeof KINDS)[G] | keyof (typeof MEASURES)[G], number>;
};

/**
 * Reads the configuration and fills in defaults.
 * @throws one refusal that names every value it cannot use.
 */
export function readFaultConfiguration(asked: unknown): FaultConfiguration {
  const faults: string[] = [];
  const given = fieldsOf(asked, 'the configuration', faults);
  reportUnknown(given, ['seed', ...GROUPS], '', faults);
  const groups = GROUPS.map((group) => [group, readGroup(group, given[group] ?? {}, faults)]);
  const seed = given['seed'] ?? 0;
  if (!isWhole(seed, Number.MAX_SAFE_INTEGER)) faults.push('seed must be a whole number, zero or more');
  if (faults.length > 0) throw refuse('invalid_request', faults.join('; '));
  return { seed, ...Object.fromEntries(groups) } as FaultConfiguration;
}

function readGroup(group: Group, asked: unknown, faults: string[]): Record<string, number> {
  const given = fieldsOf(asked, group, faults);
  const kinds = Object.keys(KINDS[group]);
  const measures = Object.entries(MEASURES[group]);
  reportUnknown(given, [...kinds, ...measures.map(([name]) => name)], `${group}.`, faults);
  const read = (name: string, otherwise: number, isFit: (value: unknown) => boolean, rule: string) => {
    const value = given[name] ?? otherwise;
    if (!isFit(value)) faults.push(`${group}.${name} must be a ${rule}`);
    return [name, value];
  };
  return Object.fromEntries([
    ...kinds.map((name) => read(name, 0, isChance, 'number from 0 to 1')),
    ...measures.map(([name, { otherwise, most }]) =>
      read(name, otherwise, (value) => isWhole(value, most), `whole number from 0 to ${most}`),
    ),
  ]) as Record<string, number>;
}

function fieldsOf(asked: unknown, name: string, faults: string[]): Record<string, unknown> {
  if (typeof asked === 'object' && asked !== null && !Array.isArray(asked))
    return asked as Record<string, unknown>;
  faults.push(`${name} must be a JSON object`);
  return {};
}

function reportUnknown(given: object, known: string[], prefix: string, faults: string[]): void {
  for (const name of Object.keys(given))
    if (!known.includes(name))
      faults.push(`${prefix}${name.slice(0, 60)} is not known here, only ${known.join(', ')}`);
}

const isChance = (value: unknown) => typeof value === 'number' && value >= 0 && value <= 1;

const isWhole = (value: unknown, most: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most;
