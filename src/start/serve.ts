// `npm run serve`: the production process. Enables the compile cache before the other modules are loaded.
import { enableCompileCache } from 'node:module';

enableCompileCache();
await import('./serve-process.ts');
