// The compose file: which containers it starts, what each may do, and what reaches them.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { composeServices } from '../support/compose.ts';

const services = composeServices();
const names = Object.keys(services);
const serviceOf = (name: string) => services[name] ?? { image: '' };
const textOf = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
const dockerfile = readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8');

test('the compose file starts a database, a sandbox, the roles, the migration and the service', () => {
  const byDefault = names.filter((name) => serviceOf(name).profiles === undefined);
  expect(byDefault).toEqual(['postgres', 'sandbox', 'role', 'migrate', 'service']);
});

test('the profile "distributed" adds a coordinator, two workers of the same pinned version, and what connects them', () => {
  const added = names.filter((name) => serviceOf(name).profiles?.includes('distributed'));
  expect(added).toEqual(['coordinator', 'worker-1', 'worker-2', 'cluster']);
  expect(new Set(added.map((name) => serviceOf(name).image))).toEqual(new Set(['citusdata/citus:14.0.0']));
  expect(Object.keys(serviceOf('cluster').depends_on ?? {})).toEqual(['coordinator', 'worker-1', 'worker-2']);
});

test.each(names)(
  'the container %s can gain no privileges and writes only to volumes and to memory',
  (name) => {
    const { read_only, cap_drop, security_opt, tmpfs } = serviceOf(name);
    expect({ read_only, cap_drop, security_opt }).toEqual({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    expect(tmpfs).toContain('/tmp');
  },
);

test('only containers that become the user postgres get capabilities back', () => {
  const capable = names.filter((name) => (serviceOf(name).cap_add ?? []).length > 0);
  expect(capable).toEqual(['postgres', 'coordinator', 'worker-1', 'worker-2']);
  for (const name of capable) expect(serviceOf(name).cap_add).not.toContain('SYS_ADMIN');
});

test.each(names)('the container %s has limits of memory and of processes', (name) => {
  const { mem_limit: memory, pids_limit: processes } = serviceOf(name);
  expect(memory).toMatch(/^\d+[mg]$/);
  expect(processes).toBeGreaterThan(20);
});

const opened = (of: Record<string, { ports?: string[] }>) =>
  Object.values(of).flatMap(({ ports = [] }) => ports);

const portsOf = (sandbox: number, service: number, metrics: number, coordinator: number) => [
  `127.0.0.1:${sandbox}:4010`,
  `127.0.0.1:${service}:${service}`,
  `127.0.0.1:${metrics}:${metrics}`,
  `127.0.0.1:${coordinator}:5432`,
];

test('the ports are open only to this machine, and variables choose them', () => {
  expect(opened(services)).toEqual(portsOf(4010, 3000, 9464, 5433));
  const variables = { PORT: '8080', SANDBOX_PORT: '8081', METRICS_PORT: '8082', CITUS_PORT: '8083' };
  expect(opened(composeServices(variables))).toEqual(portsOf(8081, 8080, 8082, 8083));
});

test('the addresses that browsers and ID tokens use follow the chosen port of the sandbox', () => {
  const { sandbox, service } = composeServices({ SANDBOX_PORT: '8081' });
  expect(sandbox?.environment?.['SANDBOX_BASE_URL']).toBe('http://localhost:8081');
  expect(service?.environment).toMatchObject({
    IDENTITY_A_ISSUER: 'http://localhost:8081/identity/a',
    IDENTITY_B_ISSUER: 'http://localhost:8081/identity/b, localhost:8081/identity/b',
  });
});

test('only one container builds each image, because two builds of one image at a time can fail', () => {
  const builds = names.flatMap((name) => (serviceOf(name).build ? [serviceOf(name).image] : []));
  expect(builds.toSorted()).toEqual(['ponte-sandbox', 'ponte-service']);
  // The service takes what `migrate` has built, and asks no registry for it.
  expect(serviceOf('migrate').build?.target).toBe('service');
  expect(serviceOf('service')).toMatchObject({ image: serviceOf('migrate').image, pull_policy: 'never' });
});

test('the service listens on the published ports, so that its log and its health check name them', () => {
  const { service } = composeServices({ PORT: '8080', METRICS_PORT: '8082' });
  expect(service?.environment).toMatchObject({
    PORT: '8080',
    METRICS_PORT: '8082',
    PUBLIC_BASE_URL: 'http://service:8080',
  });
  expect(service?.healthcheck?.test?.join(' ')).toContain("'http://127.0.0.1:8082/ready'");
});

test('the compose file and the documentation name the commands that upgrade without stopping the former service first', () => {
  const [header = ''] = textOf('docker-compose.yml').split('\nx-hardened');
  const documentation = textOf('docs/operations.md');
  for (const command of ['build', 'run --rm migrate', 'up -d --no-deps service'])
    for (const text of [header, documentation]) expect(text).toContain(`docker compose ${command}`);
  expect(header + documentation).not.toContain('docker-compose up');
});

test('the ports inside the containers are those that the processes listen on', () => {
  const { environment = {}, ports = [] } = serviceOf('service');
  const inside = ports.map((port) => port.split(':').at(-1));
  expect(inside).toEqual([environment['PORT'], environment['METRICS_PORT']]);
  expect(dockerfile).toContain(`EXPOSE ${inside.join(' ')}\n`);
  expect(dockerfile).toContain(`ENV METRICS_PORT=${environment['METRICS_PORT']}\n`);
});

test('the health checks of the images ask for liveness, and that of the compose file asks for readiness', () => {
  const addresses = [...dockerfile.matchAll(/^HEALTHCHECK .*\\\n +CMD .*fetch\(['`](?<url>[^'`]+)/gm)].map(
    ({ groups = {} }) => groups['url'],
  );
  expect(addresses).toEqual([
    'http://127.0.0.1:4010/health',
    'http://127.0.0.1:${process.env.METRICS_PORT}/health',
  ]);
  const { environment = {}, healthcheck } = serviceOf('service');
  expect(healthcheck?.test?.join(' ')).toContain(`'http://127.0.0.1:${environment['METRICS_PORT']}/ready'`);
  expect(serviceOf('migrate').healthcheck).toEqual({ disable: true });
});

test('the service starts after the migration, the migration after the roles, and they after the database', () => {
  expect(serviceOf('service').depends_on).toEqual({
    migrate: { condition: 'service_completed_successfully' },
    sandbox: { condition: 'service_healthy' },
  });
  expect(serviceOf('migrate').depends_on).toEqual({ role: { condition: 'service_completed_successfully' } });
  expect(serviceOf('role').depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
});

test('containers that serve restart by themselves, and keep their data in volumes', () => {
  const serving = names.filter((name) => serviceOf(name).restart === 'unless-stopped');
  expect(serving).toEqual(['postgres', 'sandbox', 'service']);
  expect(names.flatMap((name) => serviceOf(name).volumes ?? [])).toEqual([
    'postgres:/var/lib/postgresql',
    'sandbox:/data',
    ...['coordinator', 'worker-1', 'worker-2'].map((name) => `${name}:/var/lib/postgresql`),
  ]);
  expect(Number.parseInt(serviceOf('service').stop_grace_period ?? '', 10)).toBeGreaterThanOrEqual(16);
});
