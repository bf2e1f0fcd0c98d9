// The sandbox as a process, with the phone among its pages: what `npm start` runs. So the phone needs no server and no port of
// its own, and may call the sandbox's identity providers and its bank; the sandbox itself, and its image, do without it.
import { runSandbox } from '../sandbox/run.ts';
import { phoneRoutes } from './serve/routes.ts';

await runSandbox({ '/phone': phoneRoutes(process.env['PHONE_API_URL'] ?? 'http://localhost:3000') });
