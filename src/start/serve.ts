// `npm run serve`: the production process. Compiled code is kept between starts, which must be asked for before the rest
// is loaded.
import { enableCompileCache } from 'node:module';

enableCompileCache();
await import('./serve-process.ts');
