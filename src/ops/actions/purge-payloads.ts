// Removes payloads that are old enough now, as every night.
import { type Call } from '../command.ts';
import { runJobByHand } from './work-by-hand.ts';

export const run = (call: Call): Promise<void> => runJobByHand(call, 'purge-payloads');
