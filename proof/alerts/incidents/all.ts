// Every incident of the drill.
import type { Incident } from './incident.ts';
import { longIncidents } from './long.ts';
import { providerIncidents } from './provider.ts';
import { recordIncidents } from './records.ts';
import { serviceIncidents } from './service.ts';

export const incidents: Incident[] = [
  ...providerIncidents,
  ...serviceIncidents,
  ...recordIncidents,
  ...longIncidents,
];
