// How tests wait: as the person of the sandbox does.
export { until } from '../../scripts/journey/until.ts';
