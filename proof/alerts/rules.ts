// The shipped alerts, for evaluating their expressions at earlier times.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from '../../harness/processes/node-process.ts';

export type AlertRule = {
  name: string;
  expr: string;
  /** How long the expression must hold before the alert fires. */
  forSeconds: number;
  labels: Record<string, string>;
};

export const RULES = join(ROOT, 'deploy/prometheus/rules.yaml');
const UNITS: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };

type Rule = { alert?: string; expr: string; for?: string; labels: Record<string, string> };

const { groups } = parse(readFileSync(RULES, 'utf8')) as { groups: { rules: Rule[] }[] };

export const alertRules: AlertRule[] = groups
  .flatMap(({ rules }) => rules)
  .flatMap(({ alert: name, expr, for: span = '0s', labels }) =>
    name === undefined ? [] : [{ name, expr, forSeconds: secondsOf(span), labels }],
  );

function secondsOf(span: string): number {
  const unit = UNITS[span.at(-1) ?? ''];
  if (unit === undefined) throw new Error(`${span} is not a duration that is read here`);
  return Number(span.slice(0, -1)) * unit;
}
