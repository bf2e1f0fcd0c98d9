// Loaded into each process of a soak test before its program (`--import`). It appends the process's memory use to a file every
// second.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { memoryFile } from './memory.ts';

const EVERY_MS = 1_000;
const folder = process.env['BENCH_FOLDER'];

if (folder !== undefined) {
  const file = join(folder, memoryFile(process.pid));
  setInterval(() => {
    const { rss, heapUsed } = process.memoryUsage();
    appendFileSync(file, `${rss} ${heapUsed}\n`);
  }, EVERY_MS).unref();
}
