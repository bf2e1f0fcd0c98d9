// Prints how long a night takes at 1,000 payments a second and 10 million accounts, in simulated time: `npm run simulate:night -- [processes]`.
import { SLICES_OF_A_PROCESS } from '../../src/platform/sql/work.ts';
import { simulateNight } from './night.ts';

const HOUR_MS = 60 * 60_000;

const processes = Number(process.argv[2] ?? 4);
const now = new Date('2026-11-26T02:10:00.000Z');
const night = simulateNight({
  perSecond: { payouts: 1_000, transfers: 1_000, movements: 4_000 },
  accounts: 10_000_000,
  pageMs: 150,
  workers: processes * SLICES_OF_A_PROCESS,
  plannedTo: new Date(now.getTime() - 24 * HOUR_MS - 10 * 60_000),
  now,
});
console.log(
  `${processes} processes: ${night.slices} slices, ${night.pages} pages, ${night.objects} objects, ${night.accounts} accounts in ${(night.tookMs / HOUR_MS).toFixed(1)} simulated hours`,
);
