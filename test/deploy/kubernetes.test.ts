// The manifests for Kubernetes: they fit its API, and they fit the service.
import { expect, test } from 'vitest';
import project from '../../package.json' with { type: 'json' };
import { ConfigurationError, readConfig } from '../../src/start/config.ts';
import { goodEnv } from '../start/process/good-env.ts';
import { composeServices } from '../support/compose.ts';
import { manifestFiles, manifests, nameOf, ofKind, schemaFaults, started, typeFaults } from './manifests.ts';

test('the folder has a deployment for each role, the migration, and what surrounds them', () => {
  expect(manifestFiles).toEqual([
    'api.yaml',
    'migration.yaml',
    'network-policies.yaml',
    'secrets.example.yaml',
    'settings.yaml',
    'worker.yaml',
  ]);
  const names = manifests.map(nameOf);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(
    expect.arrayContaining([
      'Deployment ponte-api',
      'Deployment ponte-worker',
      'Job ponte-migration',
      'PodDisruptionBudget ponte-api',
      'PodDisruptionBudget ponte-worker',
      'Service ponte-api',
    ]),
  );
});

test.each(manifests.map((one) => [nameOf(one), one] as const))('%s fits the schema of its kind', (_, one) => {
  expect(schemaFaults(one)).toEqual([]);
});

type Loose = {
  kind: string;
  spec: { replicas: unknown; template: { spec: { containers: Record<string, unknown>[] } } };
};

test('the schemas find a wrong type and a missing field', () => {
  const broken = structuredClone(ofKind('Deployment')[0]) as unknown as Loose;
  broken.spec.replicas = 'three';
  delete broken.spec.template.spec.containers[0]?.['name'];
  expect(schemaFaults(broken).join()).toMatch(/replicas must be integer.*required property name/);
});

test('the manifests have no field that the API does not know, and a misspelt one would be found', () => {
  const misspelt = structuredClone(ofKind('Deployment')[0]) as unknown as Loose;
  Object.assign(misspelt.spec.template.spec.containers[0] ?? {}, { readinesProbe: {} });
  expect(schemaFaults(misspelt)).toEqual([]);
  expect(typeFaults([...manifests, misspelt])).toEqual([
    `Object literal may only specify known properties, and '"readinesProbe"' does not exist in type 'IContainer'.`,
  ]);
});

const labelsOf = ({ spec }: { spec?: { template?: { metadata?: { labels?: unknown } } } }) =>
  spec?.template?.metadata?.labels as Record<string, string>;
const pods = [...ofKind('Deployment'), ...ofKind('Job')].map(labelsOf);
const isSelected = (labels: Record<string, string>, selector: Record<string, string> = {}): boolean =>
  Object.entries(selector).every(([name, value]) => labels[name] === value);

test('each deployment, service and budget selects the pods of its own role only', () => {
  const selectors = [
    ...ofKind('Deployment').map((one) => [one, one.spec?.selector.matchLabels] as const),
    ...ofKind('PodDisruptionBudget').map((one) => [one, one.spec?.selector?.matchLabels] as const),
    ...ofKind('Service').map((one) => [one, one.spec?.selector] as const),
  ];
  expect(selectors).toHaveLength(5);
  for (const [one, selector] of selectors) {
    const selected = pods.filter((labels) => isSelected(labels, selector));
    expect(selected.map((labels) => `ponte-${labels['app.kubernetes.io/component']}`)).toEqual([
      one.metadata?.name,
    ]);
  }
});

test('every pod starts the image of this version, as an ordinary user that can gain no privileges', () => {
  expect(started.map(({ owner }) => owner)).toEqual(['ponte-api', 'ponte-worker', 'ponte-migration']);
  for (const { container } of started) {
    expect(container.image).toBe(`registry.example.com/ponte:${project.version}`);
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(container.resources?.limits?.['memory']).toBe('512Mi');
  }
  for (const one of [...ofKind('Deployment'), ...ofKind('Job')])
    expect(one.spec?.template.spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    });
});

test('the job and the compose file migrate as npm run db:migrate does', () => {
  const command = project.scripts['db:migrate'].split(' ');
  expect(started.find(({ owner }) => owner === 'ponte-migration')?.container.command).toEqual(command);
  expect(composeServices()['migrate']?.command).toEqual(command);
});

const valuesOf = (name: string): Record<string, string> =>
  ofKind('ConfigMap').find(({ metadata }) => metadata?.name === name)?.data ??
  ofKind('Secret').find(({ metadata }) => metadata?.name === name)?.stringData ??
  {};

/** @returns the variables that a container is started with. Those of its own win. */
function variablesOf(owner: string): Record<string, string> {
  const container = started.find((one) => one.owner === owner)?.container;
  const shared = (container?.envFrom ?? []).map(({ configMapRef, secretRef }) =>
    valuesOf(configMapRef?.name ?? secretRef?.name ?? ''),
  );
  const own = (container?.env ?? []).map(({ name, value }) => [name, value ?? '']);
  return Object.assign({}, ...shared, Object.fromEntries(own)) as Record<string, string>;
}

const secretNames = (...of: string[]) => of.flatMap((name) => Object.keys(valuesOf(name)));

test.each([
  ['ponte-api', 'api', ['ponte-service']],
  ['ponte-worker', 'worker', ['ponte-service', 'ponte-erasure']],
])(
  '%s starts in production as soon as the secrets are filled in, and names each that is not',
  (owner, role, secrets) => {
    const variables = { ...variablesOf(owner), NODE_ENV: 'production' };
    const good = goodEnv('postgres://ponte_service:as-good-as-any@postgres.example.com/ponte');
    const filled = Object.fromEntries(
      secretNames(...secrets).map((name) => [name, good[name] ?? good['DATABASE_URL']]),
    );
    const config = readConfig({ ...variables, ...filled, PROVIDER_PASSWORD: 'as-good-as-any' });
    expect(config).toMatchObject({ role, port: 3000, metricsPort: 9464, metricsHost: '0.0.0.0' });
    const faults = (() => {
      try {
        readConfig(variables);
      } catch (error) {
        if (error instanceof ConfigurationError) return error.faults;
        throw error;
      }
      return [];
    })();
    expect(faults.map((fault) => fault.split(' ', 1)[0] ?? '').toSorted()).toEqual(
      secretNames(...secrets).toSorted(),
    );
  },
);

test('every variable that the manifests set is one that the process reads', () => {
  const { migrate } = composeServices();
  const good = goodEnv('postgres://ponte_service:as-good-as-any@postgres.example.com/ponte');
  // A value that no variable accepts shows which variables the configuration reads.
  const isRead = (name: string): boolean => {
    try {
      readConfig({ ...good, [name]: ' ' });
      return false;
    } catch {
      return true;
    }
  };
  expect(isRead('PROVIDER_NAMES')).toBe(false);
  for (const owner of ['ponte-api', 'ponte-worker'])
    expect(Object.keys(variablesOf(owner)).filter((name) => !isRead(name))).toEqual([]);
  expect(Object.keys(variablesOf('ponte-migration')).toSorted()).toEqual(
    Object.keys(migrate?.environment ?? {}).toSorted(),
  );
});

const startedWith = (secret: string) =>
  started
    .filter(({ container }) => container.envFrom?.some(({ secretRef }) => secretRef?.name === secret))
    .map(({ owner }) => owner);

test('only the migration has the owner of the schema, and only the worker may erase people', () => {
  expect(startedWith('ponte-migration')).toEqual(['ponte-migration']);
  expect(startedWith('ponte-erasure')).toEqual(['ponte-worker']);
  expect(startedWith('ponte-service')).toEqual(['ponte-api', 'ponte-worker']);
});

test('a process has more time to stop than it takes', () => {
  for (const { spec } of ofKind('Deployment')) {
    const { SHUTDOWN_DELAY_SECONDS: delay } = valuesOf('ponte-settings');
    // The work in hand takes ten seconds at most (docs/operations.md).
    expect(spec?.template.spec?.terminationGracePeriodSeconds).toBeGreaterThan(Number(delay) + 10);
  }
});

test('an upgrade starts a new process before it stops a former one, and a drain stops one at a time', () => {
  for (const { spec } of ofKind('Deployment')) {
    expect(spec?.strategy?.rollingUpdate).toEqual({ maxSurge: 1, maxUnavailable: 0 });
    expect(spec?.replicas).toBeGreaterThan(1);
  }
  expect(ofKind('PodDisruptionBudget').map(({ spec }) => spec?.maxUnavailable)).toEqual([1, 1]);
});

const policies = ofKind('NetworkPolicy');

test('every pod is closed except for what a policy opens', () => {
  const closed = policies.find(({ metadata }) => metadata?.name === 'ponte-closed');
  expect(closed?.spec).toEqual({
    podSelector: { matchLabels: { 'app.kubernetes.io/name': 'ponte' } },
    policyTypes: ['Ingress', 'Egress'],
  });
  for (const labels of pods)
    expect(isSelected(labels, closed?.spec?.podSelector?.matchLabels as Record<string, string>)).toBe(true);
});

test('the policies open the ports that the pods have, and no other to callers', () => {
  const named = started.flatMap(({ container }) => (container.ports ?? []).map(({ name }) => name));
  const opened = policies.flatMap(({ spec }) => spec?.ingress ?? []).flatMap(({ ports = [] }) => ports);
  expect(opened.map(({ port }) => port)).toEqual(['http', 'metrics']);
  for (const { port } of opened) expect(named).toContain(port);
  const left = policies.flatMap(({ spec }) => spec?.egress ?? []).flatMap(({ ports = [] }) => ports);
  expect(left.map(({ port }) => port)).toEqual([53, 53, 5432, 443]);
  expect(policies.flatMap(({ spec }) => spec?.egress ?? []).every(({ to }) => to !== undefined)).toBe(true);
});
