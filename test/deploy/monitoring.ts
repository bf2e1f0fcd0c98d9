// The alert rules and the dashboards, and the metrics that their expressions read.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { ROOT } from '../support/process.ts';

/** A rule that raises an alert. */
export type Rule = {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; runbook_url: string };
};
export type RuleTest = { name: string; alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] };
export type Dashboard = {
  uid: string;
  title: string;
  description: string;
  panels: { id: number; title: string; description: string; targets: { expr: string }[] }[];
};

const textOf = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

/** A rule that computes a series. */
type Recording = { record: string; expr: string };

const allRules = (
  parse(textOf('deploy/prometheus/rules.yaml')) as { groups: { rules: (Rule | Recording)[] }[] }
).groups.flatMap((group) => group.rules);

export const rules: Rule[] = allRules.filter((rule) => 'alert' in rule);
const recordings: Recording[] = allRules.filter((rule) => 'record' in rule);
/** The series that rules compute. */
export const recorded: string[] = recordings.map(({ record }) => record);

export const ruleTests: RuleTest[] = ['rules.test.yaml', 'rules.week.test.yaml'].flatMap(
  (file) => (parse(textOf(`deploy/prometheus/${file}`)) as { tests: RuleTest[] }).tests,
);

export const dashboards: Dashboard[] = globSync('deploy/grafana/*.json', { cwd: ROOT }).map(
  (file) => JSON.parse(textOf(file)) as Dashboard,
);

/** Every expression, by the alert or panel that has it. */
export const expressions: [where: string, expr: string][] = [
  ...rules.map(({ alert, expr }): [string, string] => [alert, expr]),
  ...recordings.map(({ record, expr }): [string, string] => [record, expr]),
  ...dashboards.flatMap(({ title, panels }) =>
    panels.flatMap((panel) =>
      panel.targets.map(({ expr }): [string, string] => [`${title}, ${panel.title}`, expr]),
    ),
  ),
];

export type Selector = { metric: string; matchers: { label: string; values: string[] }[] };

const grouping = /\b(?:by|without|on|ignoring) *\((?<labels>[^)]*)\)/g;
const operators = new Set(['and', 'or', 'unless', 'bool']);

/** @returns the metrics that an expression reads. Functions are followed by a bracket, and metrics are not. */
export function selectorsIn(expr: string): Selector[] {
  const flat = expr.replaceAll(grouping, ' ').replaceAll(/\[[^\]]*\]|\boffset +\w+/g, ' ');
  return [...flat.matchAll(/(?<metric>[a-zA-Z_:][\w:]*)(?![\w:]| *\()(?:\{(?<matchers>[^}]*)\})?/g)]
    .map(({ groups = {} }) => ({
      metric: groups['metric'] ?? '',
      matchers: [...(groups['matchers'] ?? '').matchAll(/(?<label>\w+)(?:=~|!~|!=|=)"(?<value>[^"]*)"/g)].map(
        (matcher) => ({
          label: matcher.groups?.['label'] ?? '',
          values: (matcher.groups?.['value'] ?? '').split('|'),
        }),
      ),
    }))
    .filter(({ metric }) => !operators.has(metric));
}

export const groupedBy = (expr: string): string[] =>
  [...expr.matchAll(grouping)].flatMap(({ groups = {} }) =>
    (groups['labels'] ?? '')
      .split(',')
      .map((label) => label.trim())
      .filter(Boolean),
  );

/** The labels of each series that a scrape has, by the name of the series. */
export type Scrape = Map<string, Record<string, string>[]>;

export function readScrape(text: string): Scrape {
  const scrape: Scrape = new Map();
  for (const { groups = {} } of text.matchAll(/^(?<name>\w+)(?:\{(?<labels>.*)\})? \S+$/gm)) {
    const labels = [...(groups['labels'] ?? '').matchAll(/(?<label>\w+)="(?<value>[^"]*)"/g)].map((one) => [
      one.groups?.['label'],
      one.groups?.['value'],
    ]);
    const series = scrape.get(groups['name'] ?? '') ?? [];
    scrape.set(groups['name'] ?? '', [...series, Object.fromEntries(labels) as Record<string, string>]);
  }
  return scrape;
}
