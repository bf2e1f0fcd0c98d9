// A process whose clock is ten minutes behind the database's.
import { runAgain } from './again.ts';

runAgain(-10 * 60_000);
