// Random bytes of the system, drawn in blocks: drawing 16 bytes costs nearly as much as drawing a block.
import { randomFillSync } from 'node:crypto';

const BLOCK_BYTES = 4_096;

const block = Buffer.alloc(BLOCK_BYTES);
let handedOut = BLOCK_BYTES;

/**
 * Each byte of a block is handed out once and then erased here: none can be a part of two nonces, and what is left in memory
 * tells nothing of those that are in use.
 * @param length at most that of a block
 */
export function randomBytes(length: number): Buffer {
  if (handedOut + length > BLOCK_BYTES) {
    randomFillSync(block);
    handedOut = 0;
  }
  const bytes = Buffer.copyBytesFrom(block, handedOut, length);
  block.fill(0, handedOut, handedOut + length);
  handedOut += length;
  return bytes;
}
