// The drill of the alarms (npm run try:alerts) has an incident for every alert.
import { expect, test } from 'vitest';
import { incidents } from '../../proof/alerts/incidents/all.ts';
import { alertRules } from '../../proof/alerts/rules.ts';
import { rules } from '../deploy/monitoring.ts';

const WATCHDOG = 'PonteWatchdog';
const alerts = rules.map(({ alert }) => alert).filter((alert) => alert !== WATCHDOG);

test('every alert rings in an incident', () => {
  const rings = new Set(incidents.flatMap((incident) => incident.rings));
  expect(alerts.filter((alert) => !rings.has(alert))).toEqual([]);
});

test('the incidents have names of their own, and name only alerts that exist', () => {
  const names = incidents.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const named = incidents.flatMap(({ rings, mayRing = [], silent }) => [
    ...rings,
    ...mayRing,
    ...Object.keys(silent),
  ]);
  expect(named.filter((alert) => !alerts.includes(alert))).toEqual([]);
});

test('no incident expects an alert and its silence', () => {
  for (const { name, rings, mayRing = [], silent } of incidents)
    expect([name, Object.keys(silent).filter((alert) => [...rings, ...mayRing].includes(alert))]).toEqual([
      name,
      [],
    ]);
});

test('the drill reads the durations of the alerts', () => {
  const read = Object.fromEntries(alertRules.map(({ name, forSeconds }) => [name, forSeconds]));
  expect(read).toMatchObject({
    PonteProcessRestarts: 0,
    PonteProcessDown: 120,
    PonteNightUnchecked: 4 * 3_600,
    PonteRotationUnfinished: 24 * 3_600,
  });
  expect(Object.keys(read)).toEqual(rules.map(({ alert }) => alert));
});
