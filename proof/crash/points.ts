// Loaded before the service (`node --import ./proof/crash/points.ts src/start/serve.ts`). It names each point at which the service
// could crash, and crashes it at one of them. The service's code does not change.
import { nameActors } from './preload/actor.ts';
import { useStandIns } from './preload/stand-ins.ts';
import { watchKeyFetches } from './preload/upstream.ts';

useStandIns();
nameActors();
watchKeyFetches();
