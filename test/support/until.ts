// Tests wait as an app does.
export { until } from '../../scripts/journey/until.ts';
