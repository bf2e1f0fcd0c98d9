// The caretaker process of a local stack. It is idle until its parent has ended. Then it waits for the other processes, stops the
// database, and removes temporary folders. When another run has claimed the data folder, that run does all of this.
import { existsSync, rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { endOf, isRunning, stopServerIn } from '../database/database-server.ts';
import type { Charge, Told } from './caretaker.ts';
import { isClaimedByAnother } from './folder-claim.ts';

/** The service stops within 10 s. */
const PARTS_END_MS = 15_000;
/** A database may be in the middle of its creation when its parent is killed: the creation continues for a while. */
const LATECOMERS_MS = 10_000;
const LOOK_EVERY_MS = 200;

const { claim, databaseFolder, remove } = JSON.parse(process.argv[2] ?? '') as Charge;
const parts: number[] = [];
let isStarted = false;

process.on('message', (told: Told) => {
  if (told === 'dismissed') process.exit(0);
  if (told === 'started') isStarted = true;
  else parts.push(told);
});
process.once('disconnect', () => void putInOrder().finally(() => process.exit(0)));

async function putInOrder(): Promise<void> {
  await Promise.all(parts.map(endPart));
  const giveUpAt = performance.now() + (isStarted ? 0 : LATECOMERS_MS);
  do {
    if (isClaimedByAnother(claim)) return;
    await stopServerIn(databaseFolder);
    if (isClaimedByAnother(claim)) return;
    for (const path of remove) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
    await pause(LOOK_EVERY_MS);
  } while (performance.now() < giveUpAt || remove.some(existsSync));
}

async function endPart(pid: number): Promise<void> {
  await endOf(pid, PARTS_END_MS);
  if (isRunning(pid)) process.kill(pid, 'SIGKILL');
}
