// A real Prometheus that scrapes a service of the tests. Without it, the tests that need it are left out.
import {
  hasPrometheus,
  PROMETHEUS,
  type Prometheus,
  startPrometheus as start,
} from '../../harness/monitoring/prometheus.ts';
import { leaveOut } from '../../scripts/unchecked.ts';

if (!hasPrometheus)
  leaveOut('prometheus', `${PROMETHEUS} does not exist: no Prometheus scrapes the service in these tests.`);

export { hasPrometheus, type Prometheus };

/** Starts a Prometheus that scrapes the metrics port of one process every second. */
export const startPrometheus = (metricsPort: number): Promise<Prometheus> =>
  start({ metricsPorts: [metricsPort] });
