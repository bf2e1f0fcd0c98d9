// Loaded before the service (`node --import ./proof/crash/points.ts src/start/serve.ts`): names each point at which it could die,
// and lets it die at one of them. The service itself knows nothing of it.
import { nameActors } from './preload/actor.ts';
import { watchDatabase } from './preload/database.ts';
import { watchUpstream } from './preload/upstream.ts';

nameActors();
watchDatabase();
watchUpstream();
