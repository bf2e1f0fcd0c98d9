// The two ways to scrape the service in Kubernetes, by the Prometheus operator's PodMonitor and by a plain configuration. Both must give
// the job that the rules read. Debian's promtool applies the relabelling to the pods of the manifests; it has no discovery of
// Kubernetes, so the tests give it the labels that the discovery finds.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from '../support/process.ts';
import { hasPrometheus } from '../support/prometheus.ts';
import { base, nameOf, objectsOf, ofKind } from './manifests.ts';
import { expressions } from './monitoring.ts';

type Relabelling = { action?: string; source_labels?: string[]; regex?: string; target_label?: string };
type ScrapeConfig = { job_name: string; relabel_configs: Relabelling[] };
type Config = { rule_files: string[]; scrape_configs: (ScrapeConfig & { kubernetes_sd_configs: unknown })[] };

const [plain] = (
  parse(readFileSync(path.join(ROOT, 'deploy/prometheus/prometheus.example.yaml'), 'utf8')) as Config
).scrape_configs;
const [monitor] = ofKind(objectsOf('pod-monitor/pod-monitor.yaml'), 'PodMonitor');

const ofLabel = (label = ''): string => `__meta_kubernetes_pod_label_${label.replaceAll(/[^\w]/g, '_')}`;

/** @returns what the Prometheus operator makes of a PodMonitor. */
function generatedFrom({ metadata, spec }: NonNullable<typeof monitor>): ScrapeConfig {
  const { matchLabels = {}, matchExpressions = [] } = spec.selector;
  const [endpoint] = spec.podMetricsEndpoints ?? [];
  return {
    job_name: `podMonitor/ponte/${metadata?.name}/0`,
    relabel_configs: [
      ...Object.entries(matchLabels).map(([label, value]) => ({
        action: 'keep',
        source_labels: [ofLabel(label)],
        regex: value,
      })),
      ...matchExpressions.map(({ key, values = [] }) => ({
        action: 'keep',
        source_labels: [ofLabel(key)],
        regex: values.join('|'),
      })),
      {
        action: 'keep',
        source_labels: ['__meta_kubernetes_pod_container_port_name'],
        regex: endpoint?.port ?? '',
      },
      { source_labels: [ofLabel(spec.jobLabel)], target_label: 'job', regex: '(.+)' },
    ],
  };
}

/** The labels by which Prometheus discovers each port of each pod, and the operators' pod and the migration, which have no port. */
const discovered = [...ofKind(base, 'Deployment'), ...ofKind(base, 'Job')].flatMap((owner) => {
  const { metadata, spec } = owner.spec?.template ?? {};
  const labels = Object.entries(metadata?.labels ?? {}).map(([label, value]) => [ofLabel(label), value]);
  const ports = spec?.containers.flatMap((container) => container.ports ?? []) ?? [];
  return (ports.length > 0 ? ports : [{ name: '', containerPort: 80 }]).map(({ name, containerPort }) => ({
    targets: [`${owner.metadata?.name}:${containerPort}`],
    labels: {
      ...(Object.fromEntries(labels) as Record<string, string>),
      __meta_kubernetes_pod_name: nameOf(owner),
      __meta_kubernetes_pod_container_port_name: name ?? '',
    },
  }));
});

/** @returns the labels of each target that Prometheus scrapes with a configuration, as promtool computes them. */
function targetsOf({ job_name, relabel_configs }: ScrapeConfig): Record<string, string>[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'ponte-scrape-'));
  try {
    const file = path.join(folder, 'prometheus.json');
    const scrape_configs = [{ job_name, relabel_configs, static_configs: discovered }];
    writeFileSync(file, JSON.stringify({ scrape_configs }));
    const output = execFileSync('promtool', ['check', 'service-discovery', '--timeout=1s', file, job_name], {
      encoding: 'utf8',
    });
    return (JSON.parse(output) as { labels: Record<string, string> }[]).flatMap(({ labels }) =>
      'job' in labels ? [labels] : [],
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const jobsInRules = new Set(
  expressions.flatMap(([, expr]) =>
    [...expr.matchAll(/[{,]job="(?<job>[^"]*)"/g)].map((one) => one.groups?.['job']),
  ),
);

describe.skipIf(!hasPrometheus)('with promtool', () => {
  test.each([
    ['the PodMonitor', monitor && generatedFrom(monitor)],
    ['the plain configuration', plain],
  ])('%s scrapes the metrics port of each process, as the job that the rules read', (_, config) => {
    const targets = targetsOf(config as ScrapeConfig);
    expect(targets.map(({ instance }) => String(instance)).toSorted()).toEqual([
      'ponte-api:9464',
      'ponte-worker:9464',
    ]);
    expect(new Set(targets.map(({ job }) => job))).toEqual(jobsInRules);
  });
});

test('the rules and dashboards read one job', () => {
  expect([...jobsInRules]).toEqual(['ponte']);
});
