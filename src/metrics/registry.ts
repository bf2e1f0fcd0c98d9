// Counters and histograms in memory, and the text form in which Prometheus reads them.

export type Labels = Record<string, string>;
export type Sample = { suffix?: string; labels?: Labels; value: number };
export type Family = {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  samples: Sample[];
};

export type Counter = { add: (labels: Labels) => void; family: () => Family };
export type Histogram = { observe: (labels: Labels, value: number) => void; family: () => Family };

/** In seconds: from what a query takes to what a patient call takes. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createCounter(name: string, help: string): Counter {
  const counts = createSeries(() => ({ value: 0 }));
  return {
    add: (labels) => {
      counts.of(labels).value += 1;
    },
    family: () => ({
      name,
      help,
      type: 'counter',
      samples: counts.all().map(({ labels, value }) => ({ labels, value })),
    }),
  };
}

export function createHistogram(name: string, help: string): Histogram {
  const series = createSeries(() => ({ sum: 0, count: 0, inBucket: BUCKETS.map(() => 0) }));
  return {
    observe: (labels, value) => {
      const one = series.of(labels);
      const bucket = BUCKETS.findIndex((most) => value <= most);
      if (bucket >= 0) one.inBucket[bucket] = (one.inBucket[bucket] ?? 0) + 1;
      one.sum += value;
      one.count += 1;
    },
    family: () => ({
      name,
      help,
      type: 'histogram',
      samples: series.all().flatMap(({ labels, sum, count, inBucket }) => {
        let upTo = 0;
        return [
          ...BUCKETS.map((most, index) => {
            upTo += inBucket[index] ?? 0;
            return { suffix: '_bucket', labels: { ...labels, le: String(most) }, value: upTo };
          }),
          { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: count },
          { suffix: '_sum', labels, value: sum },
          { suffix: '_count', labels, value: count },
        ];
      }),
    }),
  };
}

/** What is measured now, and kept by somebody else. */
export const gauge = (name: string, help: string, samples: Sample[]): Family => ({
  name,
  help,
  type: 'gauge',
  samples,
});

export const render = (families: Family[]): string =>
  families
    .flatMap(({ name, help, type, samples }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...samples.map(
        ({ suffix = '', labels = {}, value }) => `${name}${suffix}${labelText(labels)} ${value}`,
      ),
    ])
    .join('\n')
    .concat('\n');

const labelText = (labels: Labels): string => {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
};

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

/** One value for each set of labels. The sets must be few: names of the contract's, never what a client sent. */
function createSeries<Value extends object>(fresh: () => Value) {
  const values = new Map<string, Value & { labels: Labels }>();
  return {
    of: (labels: Labels): Value => {
      // Of one family, all have the same names.
      const key = Object.values(labels).join('\n');
      const known = values.get(key) ?? { ...fresh(), labels };
      values.set(key, known);
      return known;
    },
    all: () => [...values.values()],
  };
}
