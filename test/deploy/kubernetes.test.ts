// The manifests for Kubernetes: they fit its API, and they fit the service.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import project from '../../package.json' with { type: 'json' };
import { ConfigurationError, readConfig } from '../../src/start/config.ts';
import { documentText } from '../docs/markdown.ts';
import { goodEnv } from '../start/process/good-env.ts';
import { composeServices } from '../support/compose.ts';
import { ROOT } from '../support/process.ts';
import {
  base,
  installations,
  type Manifest,
  nameOf,
  ofKind,
  overlays,
  rendered,
  renderedFrom,
  schemaFaults,
  secrets,
  startedBy,
  typeFaults,
  valuesOf,
} from './manifests.ts';

type Loose = {
  kind: string;
  spec: { minReadySeconds: unknown; template: { spec: { containers: Record<string, unknown>[] } } };
};

test('the schemas find a wrong type and a missing field', () => {
  const broken = structuredClone(ofKind(base, 'Deployment')[0]) as unknown as Loose;
  broken.spec.minReadySeconds = 'twenty';
  delete broken.spec.template.spec.containers[0]?.['name'];
  expect(schemaFaults(broken).join()).toMatch(/minReadySeconds must be integer.*required property name/);
});

test('the manifests have no field that the API does not know, and a misspelt one would be found', () => {
  const misspelt = structuredClone(ofKind(base, 'Deployment')[0]) as unknown as Loose;
  Object.assign(misspelt.spec.template.spec.containers[0] ?? {}, { readinesProbe: {} });
  expect(schemaFaults(misspelt)).toEqual([]);
  const all = [...installations.flatMap(([, objects]) => objects), ...secrets];
  expect(typeFaults([...all, misspelt])).toEqual([
    `Object literal may only specify known properties, and '"readinesProbe"' does not exist in type 'IContainer'.`,
  ]);
});

test.each(secrets.map((one) => [nameOf(one), one] as const))('%s fits the schema of its kind', (_, one) => {
  expect(schemaFaults(one)).toEqual([]);
});

const labelsOf = ({ spec }: { spec?: { template?: { metadata?: { labels?: unknown } } } }) =>
  spec?.template?.metadata?.labels as Record<string, string>;
const isSelected = (labels: Record<string, string>, selector: Record<string, string> = {}): boolean =>
  Object.entries(selector).every(([name, value]) => labels[name] === value);
const secretNames = (...of: string[]) => of.flatMap((name) => Object.keys(valuesOf(secrets, name)));

describe.each(installations)('%s', (_installation, objects) => {
  const started = startedBy(objects);
  const deployments = ofKind(objects, 'Deployment');
  const jobs = ofKind(objects, 'Job');
  const policies = ofKind(objects, 'NetworkPolicy');
  const pods = [...deployments, ...jobs].map(labelsOf);

  /** @returns the variables that a container is started with. Those of its own win. */
  function variablesOf(owner: string): Record<string, string> {
    const container = started.find((one) => one.owner === owner)?.container;
    const shared = (container?.envFrom ?? []).map(({ configMapRef, secretRef }) =>
      valuesOf([...objects, ...secrets], configMapRef?.name ?? secretRef?.name ?? ''),
    );
    const own = (container?.env ?? []).map(({ name, value }) => [name, value ?? '']);
    return Object.assign({}, ...shared, Object.fromEntries(own)) as Record<string, string>;
  }

  test('has a deployment for each role, the migration, and what surrounds them', () => {
    const names = objects.map(nameOf);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(
      expect.arrayContaining([
        'ConfigMap ponte-settings',
        'Deployment ponte-api',
        'Deployment ponte-worker',
        'HorizontalPodAutoscaler ponte-api',
        'Job ponte-migration',
        'PodDisruptionBudget ponte-api',
        'PodDisruptionBudget ponte-worker',
        'Service ponte-api',
      ]),
    );
    expect(objects.filter((one) => schemaFaults(one).length > 0).map(nameOf)).toEqual([]);
  });

  test('each deployment, service and budget selects the pods of its own role only', () => {
    const selectors = [
      ...deployments.map((one) => [one, one.spec?.selector.matchLabels] as const),
      ...ofKind(objects, 'PodDisruptionBudget').map((one) => [one, one.spec?.selector?.matchLabels] as const),
      ...ofKind(objects, 'Service').map((one) => [one, one.spec?.selector] as const),
    ];
    expect(selectors).toHaveLength(5);
    for (const [one, selector] of selectors) {
      const selected = pods.filter((labels) => isSelected(labels, selector));
      expect(selected.map((labels) => `ponte-${labels['app.kubernetes.io/component']}`)).toEqual([
        one.metadata?.name,
      ]);
    }
  });

  test('every pod starts the image of this version, and fits the pod security level of the namespace', () => {
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
    for (const one of [...deployments, ...jobs])
      expect(one.spec?.template.spec).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      });
    expect(ofKind(objects, 'Namespace').map(({ metadata }) => metadata?.labels)).toMatchObject([
      { 'pod-security.kubernetes.io/enforce': 'restricted' },
    ]);
  });

  test('the job migrates as npm run db:migrate does, and so does the compose file', () => {
    const command = project.scripts['db:migrate'].split(' ');
    expect(started.find(({ owner }) => owner === 'ponte-migration')?.container.command).toEqual(command);
    expect(composeServices()['migrate']?.command).toEqual(command);
  });

  test.each([
    ['ponte-api', 'api', ['ponte-service']],
    ['ponte-worker', 'worker', ['ponte-service', 'ponte-erasure']],
  ])(
    '%s starts in production as soon as the secrets are filled in, and names each that is not',
    (owner, role, names) => {
      const variables = { ...variablesOf(owner), NODE_ENV: 'production' };
      const good = goodEnv('postgres://ponte_service:as-good-as-any@postgres.example.com/ponte');
      const filled = Object.fromEntries(
        secretNames(...names).map((name) => [name, good[name] ?? good['DATABASE_URL']]),
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
        secretNames(...names).toSorted(),
      );
    },
  );

  test('every variable that the manifests set is one that the process reads', () => {
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
  });

  test('the migration grants rights to every role that roles.sql creates', () => {
    const created = readFileSync(path.join(ROOT, 'deploy/sql/roles.sql'), 'utf8').matchAll(
      /^create role (\w+);$/gm,
    );
    const variables = variablesOf('ponte-migration');
    expect(variables).toEqual({
      DATABASE_URL: '',
      ...Object.fromEntries(
        Array.from(created, ([, role = '']) => [
          `DATABASE_${role.replace('ponte_', '').toUpperCase()}_ROLE`,
          role,
        ]),
      ),
    });
    const { migrate } = composeServices();
    expect(Object.keys(migrate?.environment ?? {}).filter((name) => !(name in variables))).toEqual([]);
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
    for (const { spec } of deployments) {
      const { SHUTDOWN_DELAY_SECONDS: delay } = valuesOf(objects, 'ponte-settings');
      // The work in hand takes ten seconds at most (docs/operations.md).
      expect(spec?.template.spec?.terminationGracePeriodSeconds).toBeGreaterThan(Number(delay) + 10);
    }
  });

  test('an upgrade starts a new process before it stops a former one, and a drain stops one at a time', () => {
    for (const { spec } of deployments)
      expect(spec?.strategy?.rollingUpdate).toEqual({ maxSurge: 1, maxUnavailable: 0 });
    expect(ofKind(objects, 'PodDisruptionBudget').map(({ spec }) => spec?.maxUnavailable)).toEqual([1, 1]);
  });

  test('at least two processes of each role run, in different zones and on different nodes', () => {
    const [scaler] = ofKind(objects, 'HorizontalPodAutoscaler');
    const least = { 'ponte-api': scaler?.spec?.minReplicas, 'ponte-worker': deployments[1]?.spec?.replicas };
    expect(deployments.map(({ metadata }) => metadata?.name)).toEqual(Object.keys(least));
    for (const replicas of Object.values(least)) expect(replicas).toBeGreaterThan(1);
    // An apply of a number of replicas would undo what the autoscaler does.
    expect(deployments[0]?.spec).not.toHaveProperty('replicas');
    expect(scaler?.spec?.scaleTargetRef).toMatchObject({ kind: 'Deployment', name: 'ponte-api' });
    for (const { spec } of deployments) {
      const { template, selector } = spec ?? {};
      expect(template?.spec?.topologySpreadConstraints).toEqual(
        ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'].map((topologyKey) => ({
          maxSkew: 1,
          topologyKey,
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: selector,
        })),
      );
    }
  });

  test('PostgreSQL has connections for every process during an upgrade, and for the people who watch', () => {
    expect(connectionsOf(objects)).toBeLessThanOrEqual(maxConnectionsOf(objects));
    const more = structuredClone(objects);
    const [scaler] = ofKind(more, 'HorizontalPodAutoscaler');
    if (scaler?.spec) scaler.spec.maxReplicas += 10;
    expect(connectionsOf(more)).toBeGreaterThan(maxConnectionsOf(more));
  });

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
    expect(opened.map(({ port }) => String(port)).toSorted()).toEqual(['http', 'metrics']);
    for (const { port } of opened) expect(named).toContain(port);
    const left = policies.flatMap(({ spec }) => spec?.egress ?? []).flatMap(({ ports = [] }) => ports);
    expect(left.map(({ port }) => Number(port)).toSorted((a, b) => a - b)).toEqual([53, 53, 443, 5432]);
    expect(policies.flatMap(({ spec }) => spec?.egress ?? []).every(({ to }) => to !== undefined)).toBe(true);
  });
});

/** @returns a number that a source file declares, or that a call in it has as the argument behind `name`. */
function numberIn(file: string, name: string): number {
  const [, digits] =
    new RegExp(`${name}(?: = |, )(\\d+)`).exec(readFileSync(path.join(ROOT, file), 'utf8')) ?? [];
  return Number(digits ?? Number.NaN);
}

const OF_HEARTBEAT = numberIn('src/start/start-engine.ts', 'app.config.databaseUrl');
const OF_NIGHTLY_JOBS = numberIn('src/start/create-app.ts', 'BATCH_CONNECTIONS');
const OF_ERASURE = numberIn('src/start/create-app.ts', 'ERASURE_CONNECTIONS');
const OF_MIGRATION = numberIn('src/tables/schema/bring-up-to-date.ts', 'createPool\\(url');
/** A command that runs a nightly job by hand opens more than its own. */
const OF_OPERATOR = numberIn('ops/start.ts', 'CONNECTIONS') + OF_NIGHTLY_JOBS + OF_ERASURE;
/** PostgreSQL keeps three for superusers. An exporter of metrics, backups and people with psql need some. */
const OF_OTHERS = 3 + 10;
/** During an upgrade a new process runs, and a former one stops. */
const DURING_UPGRADE = 2;

function connectionsOf(objects: readonly Manifest[]): number {
  const pool = Number(valuesOf(objects, 'ponte-settings')['DATABASE_POOL_SIZE'] ?? 20);
  const maxReplicas = ofKind(objects, 'HorizontalPodAutoscaler')[0]?.spec?.maxReplicas ?? Number.NaN;
  const [, worker] = ofKind(objects, 'Deployment');
  const workers = worker?.spec?.replicas ?? Number.NaN;
  const ofWorker = pool + OF_HEARTBEAT + OF_NIGHTLY_JOBS + OF_ERASURE;
  return (
    (maxReplicas + DURING_UPGRADE) * pool +
    (workers + DURING_UPGRADE) * ofWorker +
    OF_MIGRATION +
    OF_OPERATOR +
    OF_OTHERS
  );
}

const maxConnectionsOf = (objects: readonly Manifest[]): number =>
  Number(ofKind(objects, 'HorizontalPodAutoscaler')[0]?.metadata?.annotations?.['database-max-connections']);

describe.skipIf(rendered === null)('the overlays', () => {
  test.each(overlays)('%s has its own namespace, and every object is in it', (overlay) => {
    const [namespace, ...others] = rendered?.[overlay] ?? [];
    const name = overlay === 'production' ? 'ponte' : `ponte-${overlay}`;
    expect(nameOf(namespace as Manifest)).toBe(`Namespace ${name}`);
    expect(new Set(others.map(({ metadata }) => metadata?.namespace))).toEqual(new Set([name]));
  });

  test.each(overlays)(
    '%s restarts the pods of both roles when its configuration version is changed',
    (overlay) => {
      for (const { spec } of ofKind(rendered?.[overlay] ?? [], 'Deployment'))
        expect(spec?.template.metadata?.annotations).toEqual({ 'configuration-version': '1' });
    },
  );

  test('a roll-back of the image changes nothing else, so the Secrets and settings stay as they are', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'ponte-overlay-'));
    try {
      cpSync(path.join(ROOT, 'deploy/kubernetes'), folder, { recursive: true });
      const file = path.join(folder, 'overlays/production/kustomization.yaml');
      const text = readFileSync(file, 'utf8');
      writeFileSync(file, text.replace(`newTag: ${project.version}`, 'newTag: 0.9.9'));
      const image = `registry.example.com/ponte:${project.version}`;
      expect(JSON.stringify(renderedFrom(path.join(folder, 'overlays/production')))).toBe(
        JSON.stringify(rendered?.production).replaceAll(image, 'registry.example.com/ponte:0.9.9'),
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('no overlay has a Secret, whose values would stand in the repository', () => {
    for (const objects of Object.values(rendered ?? {})) expect(ofKind(objects, 'Secret')).toEqual([]);
  });
});

const verbs = (calls: string[]): string[] => calls.map((call) => call.split(' ', 1)[0] ?? '');

// The commands of docs/operations.md, with a program in place of kubectl that writes down how it is called.
describe('the documented upgrade', () => {
  const [, commands = ''] =
    /Then, and for each later version.*?```sh\n(.*?)```/s.exec(documentText('docs/operations.md')) ?? [];
  const folder = mkdtempSync(path.join(tmpdir(), 'ponte-kubectl-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** @param conditions the conditions of the job at each look at it. The last one stays. */
  function upgrade(conditions: string[]): string[] {
    const [calls, looks] = ['calls', 'looks'].map((name) => path.join(folder, name)) as [string, string];
    writeFileSync(calls, '');
    writeFileSync(looks, conditions.join('\n'));
    const stub = `#!/bin/sh
echo "$*" >> ${calls}
case "$1" in
  get) head -1 ${looks}; [ "$(wc -l < ${looks})" = 0 ] || sed -i 1d ${looks} ;;
  wait) grep -qx 'SuccessCriteriaMet Complete' ${looks} ;;
esac`;
    writeFileSync(path.join(folder, 'kubectl'), stub, { mode: 0o755 });
    writeFileSync(path.join(folder, 'sleep'), '#!/bin/sh\n', { mode: 0o755 });
    spawnSync('bash', ['-c', commands], {
      env: { PATH: `${folder}:${process.env['PATH']}` },
      timeout: 20_000,
    });
    return readFileSync(calls, 'utf8').trim().split('\n');
  }

  const begun = ['apply', 'delete', 'apply'];

  test('goes on to the processes once the migration is complete', () => {
    const calls = upgrade(['', '', 'SuccessCriteriaMet', 'SuccessCriteriaMet Complete']);
    expect(verbs(calls)).toEqual([
      ...begun,
      'get',
      'get',
      'get',
      'get',
      'wait',
      'apply',
      'rollout',
      'rollout',
    ]);
  });

  test('ends when the migration has failed, before it touches the processes', () => {
    const calls = upgrade(['', 'FailureTarget', 'FailureTarget Failed']);
    expect(verbs(calls)).toEqual([...begun, 'get', 'get', 'get', 'wait']);
  });

  test.skipIf(rendered === null)(
    'applies what surrounds the processes, then the migration, then everything else',
    () => {
      const selectors = upgrade(['SuccessCriteriaMet Complete']).flatMap(
        (call) => / -l (?<by>.*)$/.exec(call)?.groups?.['by'] ?? [],
      );
      const applied = selectors.map((by) =>
        rendered?.production.filter((one) => isMeant(by, one)).map(nameOf),
      );
      expect(applied[0]).toContain('Namespace ponte');
      expect(applied[0]).not.toContain('Deployment ponte-api');
      expect(applied[1]).toEqual(['Job ponte-migration']);
      expect(applied[2]).toHaveLength((rendered?.production.length ?? 0) - 1);
    },
  );
});

/** @returns whether a label selector with one requirement selects an object. */
function isMeant(by: string, { metadata }: Manifest): boolean {
  const { not, key, operator, value } =
    /^(?<not>!?)(?<key>[\w./]+)(?<operator>!?=)?(?<value>.*)$/.exec(by)?.groups ?? {};
  const label = (metadata?.labels as Record<string, string> | undefined)?.[key ?? ''];
  if (not === '!') return label === undefined;
  return operator === '=' ? label === value : label !== value;
}
