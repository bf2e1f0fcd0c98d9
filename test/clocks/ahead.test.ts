// A process whose clock is ten minutes ahead of the database's.
import { runAgain } from './again.ts';

runAgain(10 * 60_000);
