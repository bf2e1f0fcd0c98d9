// A page of metrics, as Prometheus scrapes it, with the series that the shipped rules read.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../harness/processes/node-process.ts';

export type Page = {
  instance: string;
  /** In milliseconds since 1970. */
  at: number;
  /** The values by `name{labels}`. */
  values: Map<string, number>;
  /** Those of the series that only grow. */
  growing: Set<string>;
};

const rules = readFileSync(join(ROOT, 'deploy/prometheus/rules.yaml'), 'utf8');
const read = new Set(rules.match(/\b(ponte|process|nodejs)_\w+/g));

export async function readPage(port: number): Promise<Page> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  const page: Page = {
    instance: `127.0.0.1:${port}`,
    at: Date.now(),
    values: new Map(),
    growing: new Set(),
  };
  let type = '';
  for (const line of (await response.text()).split('\n')) {
    if (line.startsWith('# TYPE ')) type = line.split(' ')[3] ?? '';
    const {
      name = '',
      series = '',
      value = '',
    } = /^(?<series>(?<name>\w+)(?:\{.*\})?) (?<value>\S+)$/.exec(line)?.groups ?? {};
    if (!read.has(name)) continue;
    page.values.set(series, Number(value));
    if (type === 'counter' || type === 'histogram') page.growing.add(series);
  }
  return page;
}
