// Makes the uuids of new resources, version 7. Random bytes are fetched for many uuids together, because each fetch costs as much
// as a statement.
import { randomFillSync } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';

const SIZE = 16;
const pool = new Uint8Array(SIZE * 128);
let used = pool.length;

export function newUuid(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return uuidv7({ random: pool.subarray(used, (used += SIZE)) });
}
