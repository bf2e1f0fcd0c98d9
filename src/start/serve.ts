// `npm run serve`: the production process. Enables the compile cache, which must happen before the rest is loaded.
import { enableCompileCache } from 'node:module';

enableCompileCache();
await import('./serve-process.ts');
