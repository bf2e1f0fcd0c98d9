// Adds a gauge for values that were read elsewhere: each reading becomes one sample.
import { Gauge, type Registry } from 'prom-client';

export type Reading = { labels?: Record<string, string>; value: number };
export type GaugeOptions = { name: string; help: string; labelNames?: readonly string[] };

export function addGauge(registry: Registry, options: GaugeOptions, readings: readonly Reading[]): void {
  const gauge = new Gauge({ ...options, registers: [registry] });
  for (const { labels = {}, value } of readings) gauge.set(labels, value);
}
