// A worker is killed when its file is done, before it would keep what it has compiled (see vitest.config.ts).
import { flushCompileCache } from 'node:module';
import { afterAll } from 'vitest';

afterAll(() => flushCompileCache());
