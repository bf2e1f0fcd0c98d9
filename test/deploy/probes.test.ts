// The probes of the manifests and of the compose file, asked of a running process of each role.
import { expect, test } from 'vitest';
import { freePort } from '../../harness/processes/free-port.ts';
import { startWatchedService } from '../support/watched-service.ts';
import { startWorld } from '../support/world.ts';
import { base, ofKind, startedBy, valuesOf } from './manifests.ts';

const started = startedBy(base);
const settings = valuesOf(base, 'ponte-settings');
const portOf: Record<string, string | undefined> = {
  http: settings['PORT'],
  metrics: settings['METRICS_PORT'],
};

test('the ports of the containers are those that the settings give the process', () => {
  const ports = started.flatMap(({ container }) => container.ports ?? []);
  expect(ports).toHaveLength(3);
  for (const { name = '', containerPort } of ports) expect(String(containerPort)).toBe(portOf[name]);
  const [service] = ofKind(base, 'Service');
  expect(service?.spec?.ports?.map(({ targetPort }) => targetPort)).toEqual(['http']);
});

test.each([['api'], ['worker']])('a process of the role %s answers each of its probes', async (role) => {
  const world = await startWorld();
  const port = await freePort();
  const env = { ...world.env, ROLE: role, PORT: '0', METRICS_PORT: String(port) };
  const service = await startWatchedService(env, world.clock);
  const container = started.find(({ owner }) => owner === `ponte-${role}`)?.container;
  const probes = [container?.startupProbe, container?.livenessProbe, container?.readinessProbe];
  for (const probe of probes) {
    // A worker listens on no other port.
    expect(probe?.httpGet?.port).toBe('metrics');
    const answer = await fetch(`http://127.0.0.1:${port}${probe?.httpGet?.path}`);
    expect([probe?.httpGet?.path, answer.status]).toEqual([probe?.httpGet?.path, 200]);
  }
  expect(probes.map((probe) => probe?.httpGet?.path)).toEqual(['/health', '/health', '/ready']);
  await service.stop();
  await world.stop();
});
