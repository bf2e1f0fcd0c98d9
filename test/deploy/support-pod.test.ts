// The pod of support. It is as closed as the operators' pod, and has neither their secrets nor the way to the provider.
import { expect, test } from 'vitest';
import project from '../../package.json' with { type: 'json' };
import { readSupportConfig } from '../../src/start/config.ts';
import {
  installations,
  nameOf,
  objectsOf,
  ofKind,
  schemaFaults,
  secrets,
  typeFaults,
  valuesOf,
} from './manifests.ts';

const objects = objectsOf('support.yaml');
const [pod] = ofKind(objects, 'Pod');
const [container] = pod?.spec?.containers ?? [];
const [operators] = ofKind(objectsOf('operator.yaml'), 'Pod');

test('the objects fit the schemas of their kinds, have no field that the API does not know, and are in no installation', () => {
  expect(objects.map(nameOf)).toEqual([
    'ServiceAccount ponte-support',
    'Role ponte-support',
    'NetworkPolicy ponte-support',
    'Pod ponte-support',
  ]);
  expect(objects.flatMap(schemaFaults)).toEqual([]);
  expect(typeFaults(objects)).toEqual([]);
  for (const [, installed] of installations)
    expect(installed.map(nameOf).filter((name) => name.includes('support'))).toEqual([]);
});

test('the pod is as closed as that of the operators, and runs the image of this version', () => {
  const { containers: _ours, serviceAccountName, activeDeadlineSeconds, ...spec } = pod?.spec ?? {};
  const { containers: theirs = [], ...closed } = operators?.spec ?? {};
  expect(closed).toMatchObject(spec);
  expect([serviceAccountName, activeDeadlineSeconds]).toEqual(['ponte-support', 12 * 60 * 60]);
  expect(container?.securityContext).toEqual(theirs[0]?.securityContext);
  expect(container?.volumeMounts).toEqual(theirs[0]?.volumeMounts);
  expect(container?.image).toBe(`registry.example.com/ponte:${project.version}`);
  expect(container?.ports).toBeUndefined();
});

test('the pod has the search key and no other secret, and no database until a person types theirs', () => {
  expect(container?.envFrom).toBeUndefined();
  const env = container?.env ?? [];
  const fromSecrets = env.flatMap(({ valueFrom }) => valueFrom ?? []);
  expect(fromSecrets).toEqual([{ secretKeyRef: { name: 'ponte-service', key: 'SEARCH_KEY' } }]);
  expect(valuesOf(secrets, 'ponte-service')).toHaveProperty('SEARCH_KEY');
  const SEARCH_KEY = 'k'.repeat(32);
  const values = Object.fromEntries(env.map(({ name, value }) => [name, value]));
  expect(() => readSupportConfig({ ...values, SEARCH_KEY })).toThrow(/:\n {2}DATABASE_URL is not set$/);
  const DATABASE_URL = 'postgres://carla:typed@postgres.example.com/ponte';
  expect(readSupportConfig({ ...values, SEARCH_KEY, DATABASE_URL })).toMatchObject({
    prometheusUrl: 'http://prometheus.monitoring:9090',
    searchKeys: [SEARCH_KEY],
  });
});

test('the pod reaches Prometheus and, as every pod, the database, and nothing else', () => {
  const [policy] = ofKind(objects, 'NetworkPolicy');
  expect(policy?.spec?.podSelector?.matchLabels).toEqual(pod?.metadata?.labels);
  expect(policy?.spec?.ingress).toBeUndefined();
  expect(policy?.spec?.egress).toEqual([
    {
      to: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
      ports: [{ port: 9090, protocol: 'TCP' }],
    },
  ]);
});

test('the role allows to enter this pod and no other', () => {
  const [role] = ofKind(objects, 'Role');
  expect(role?.rules?.map(({ resources, resourceNames }) => [resources, resourceNames])).toEqual([
    [['pods'], ['ponte-support']],
    [['pods/exec'], ['ponte-support']],
  ]);
});
