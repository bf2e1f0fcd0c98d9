// Adds a gauge for values that were read elsewhere: each reading becomes one sample.
import { Gauge, type Registry } from 'prom-client';

export type Reading = { labels?: Record<string, string>; value: number };

/** @param readings at least one. All of them have the same labels. */
export function addGauge(registry: Registry, name: string, help: string, readings: readonly Reading[]): void {
  const labelNames = Object.keys(readings[0]?.labels ?? {});
  const gauge = new Gauge({ name, help, labelNames, registers: [registry] });
  for (const { labels = {}, value } of readings) gauge.set(labels, value);
}
