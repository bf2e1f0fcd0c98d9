// Draws random bytes from the system in blocks, because drawing 16 bytes costs nearly as much as drawing a block.
import { randomFillSync } from 'node:crypto';

const BLOCK_BYTES = 4_096;

const block = Buffer.alloc(BLOCK_BYTES);
let handedOut = BLOCK_BYTES;

/**
 * Returns random bytes. Each byte of a block is returned once and then erased here. So no byte is used in two nonces, and the
 * memory of the block reveals nothing about bytes in use.
 * @param length at most the length of a block
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
