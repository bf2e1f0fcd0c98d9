// Runs the sandbox with the phone among its pages, as `npm start` does. So the phone needs no separate server and port, and may
// call the sandbox's identity providers and its bank. The console then also finds the payment ids that the phone shows. The sandbox
// itself, and its image, do not contain the phone.
import { runSandbox } from '../sandbox/run.ts';
import { handlesOf } from './serve/handles.ts';
import { phoneRoutes } from './serve/routes.ts';

await runSandbox({
  pages: { '/phone': phoneRoutes(process.env['PHONE_API_URL'] ?? 'http://localhost:3000') },
  handlesOf,
});
