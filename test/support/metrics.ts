// Reads one value out of the text that Prometheus scrapes.
import type { Registry } from 'prom-client';

/** @param series a metric's name with its labels, as the text contains them. */
export function valueIn(text: string, series: string): number | undefined {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

export const valueOf = async (registry: Registry, series: string): Promise<number | undefined> =>
  valueIn(await registry.metrics(), series);
