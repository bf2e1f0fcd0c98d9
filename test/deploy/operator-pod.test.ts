// The pod in which operators work. It is started by hand, is closed like the processes, and forgets what was written in it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import project from '../../package.json' with { type: 'json' };
import { readConfig } from '../../src/start/config.ts';
import { documentText } from '../docs/markdown.ts';
import { goodEnv } from '../start/process/good-env.ts';
import { ROOT } from '../support/process.ts';
import {
  base,
  installations,
  nameOf,
  objectsOf,
  ofKind,
  schemaFaults,
  secrets,
  typeFaults,
  valuesOf,
} from './manifests.ts';

const objects = objectsOf('operator.yaml');
const [pod] = ofKind(objects, 'Pod');
const [container] = pod?.spec?.containers ?? [];

test('the objects fit the schemas of their kinds, and have no field that the API does not know', () => {
  expect(objects.map(nameOf)).toEqual([
    'ServiceAccount ponte-operator',
    'NetworkPolicy ponte-operator',
    'Pod ponte-operator',
  ]);
  expect(objects.flatMap(schemaFaults)).toEqual([]);
  expect(typeFaults(objects)).toEqual([]);
});

test('no installation has the pod, and no service, budget or monitor selects it', () => {
  for (const [, installed] of installations) {
    expect(installed.map(nameOf).filter((name) => name.includes('operator'))).toEqual([]);
    const selectors = [
      ...ofKind(installed, 'Service').map(({ spec }) => spec?.selector?.['app.kubernetes.io/component']),
      ...ofKind(installed, 'PodDisruptionBudget').map(
        ({ spec }) => spec?.selector?.matchLabels?.['app.kubernetes.io/component'],
      ),
      ...ofKind(installed, 'PodMonitor').flatMap(
        ({ spec }) => spec.selector.matchExpressions?.[0]?.values ?? [],
      ),
    ];
    expect(selectors.length).toBeGreaterThan(2);
    expect(selectors.filter((component) => component === undefined || component === 'operator')).toEqual([]);
  }
});

test('the pod fits the pod security level of the namespace, has no token, and runs the image of this version', () => {
  expect(pod?.spec).toMatchObject({
    serviceAccountName: 'ponte-operator',
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
  });
  expect(ofKind(objects, 'ServiceAccount')[0]?.automountServiceAccountToken).toBe(false);
  expect(container?.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  expect(container?.image).toBe(`registry.example.com/ponte:${project.version}`);
});

test('the pod ends by itself, does nothing until a person enters it, and keeps files in memory', () => {
  expect(pod?.spec).toMatchObject({ restartPolicy: 'Never', activeDeadlineSeconds: 4 * 60 * 60 });
  expect(container?.command).toEqual(['sleep', 'infinity']);
  expect(pod?.spec?.volumes).toEqual([{ name: 'files', emptyDir: { medium: 'Memory', sizeLimit: '64Mi' } }]);
  expect(container?.volumeMounts).toEqual([{ name: 'files', mountPath: '/files' }]);
  expect(container?.env).toContainEqual({ name: 'HOME', value: '/files' });
});

test('commands have the configuration of a worker, so that they can do everything that a page names', () => {
  const worker = ofKind(base, 'Deployment').find(({ metadata }) => metadata?.name === 'ponte-worker');
  expect(container?.envFrom).toEqual(worker?.spec?.template.spec?.containers[0]?.envFrom);
  const good = goodEnv('postgres://ponte_service:as-good-as-any@postgres.example.com/ponte');
  const names = ['ponte-service', 'ponte-erasure'].flatMap((name) => Object.keys(valuesOf(secrets, name)));
  const config = readConfig({
    ...valuesOf(base, 'ponte-settings'),
    ...Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value])),
    ...Object.fromEntries(names.map((name) => [name, good[name] ?? good['DATABASE_URL']])),
    NODE_ENV: 'production',
    PROVIDER_PASSWORD: 'as-good-as-any',
  });
  expect(config.prometheusUrl).toBe('http://prometheus.monitoring:9090');
});

test('the pod reaches the provider, Prometheus and, as every pod, the database, and accepts no connection', () => {
  const [policy] = ofKind(objects, 'NetworkPolicy');
  const labels = pod?.metadata?.labels;
  expect(policy?.spec?.podSelector?.matchLabels).toEqual(labels);
  expect(policy?.spec?.ingress).toBeUndefined();
  const ofBase = ofKind(base, 'NetworkPolicy');
  const upstream = ofBase.find(({ metadata }) => metadata?.name === 'ponte-upstream');
  expect(policy?.spec?.egress?.[0]).toEqual(upstream?.spec?.egress?.[0]);
  expect(policy?.spec?.egress?.[1]?.ports).toEqual([{ port: 9090, protocol: 'TCP' }]);
  for (const name of ['ponte-closed', 'ponte-database'])
    expect(ofBase.find(({ metadata }) => metadata?.name === name)?.spec?.podSelector).toEqual({
      matchLabels: { 'app.kubernetes.io/name': labels?.['app.kubernetes.io/name'] },
    });
  expect(container?.ports).toBeUndefined();
});

test('the documented commands start the pod with the image that runs', () => {
  const [, commands = ''] =
    /### The operators' pod.*?```sh\n(.*?)\nkubectl wait/s.exec(documentText('docs/operations.md')) ?? [];
  const folder = mkdtempSync(path.join(tmpdir(), 'ponte-operator-'));
  try {
    const stub = `#!/bin/sh\n[ "$1" = apply ] && cat || echo registry.example.com/running:7\n`;
    writeFileSync(path.join(folder, 'kubectl'), stub, { mode: 0o755 });
    const { stdout } = spawnSync('bash', ['-c', commands], {
      cwd: path.join(ROOT, 'deploy/kubernetes'),
      env: { PATH: `${folder}:${process.env['PATH']}` },
      encoding: 'utf8',
    });
    const file = readFileSync(path.join(ROOT, 'deploy/kubernetes/operator.yaml'), 'utf8');
    expect(stdout).toBe(file.replace(container?.image ?? '', 'registry.example.com/running:7'));
    expect(stdout).not.toBe(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the image has tar, which kubectl cp needs: Debian marks it as essential', () => {
  expect(documentText('Dockerfile')).toMatch(/^ARG NODE_IMAGE=node:[\d.]+-bookworm-slim@/m);
});
