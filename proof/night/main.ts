// Prints how long a night takes at 1,000 payments a second and 10 million accounts, in simulated time: `npm run simulate:night -- [processes]`.
import { SLICES_OF_A_PROCESS } from '../../src/tables/job-runs/work.ts';
import { simulateNight } from './night.ts';

const HOUR_MS = 60 * 60_000;

const processes = Number(process.argv[2] ?? 4);
const DAY_MS = 24 * HOUR_MS;
const lastNight = { from: new Date('2026-11-25T01:00:00.000Z'), to: new Date('2026-11-26T02:00:00.000Z') };
const again = ['2026-11-19', '2026-10-27'].map((day) => ({
  from: new Date(day),
  to: new Date(Date.parse(day) + DAY_MS),
}));
const night = simulateNight({
  perSecond: { payouts: 1_000, transfers: 1_000, movements: 4_000 },
  accounts: 10_000_000,
  pageMs: 150,
  workers: processes * SLICES_OF_A_PROCESS,
  windows: {
    payouts: [lastNight, ...again],
    transfers: [lastNight, ...again],
    movements: [lastNight],
  },
});
console.log(
  `${processes} processes: ${night.slices} slices, ${night.pages} pages, ${night.objects} objects, ${night.accounts} accounts in ${(night.tookMs / HOUR_MS).toFixed(1)} simulated hours`,
);
