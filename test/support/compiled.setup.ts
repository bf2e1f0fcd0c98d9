// Stores compiled code when a test file is done, because its worker is killed before it would do so (see vitest.config.ts).
import { flushCompileCache } from 'node:module';
import { afterAll } from 'vitest';

afterAll(() => flushCompileCache());
