// Measures several contenders under the same load, in turns: A B A B, so that a slower hour of the machine affects all of them.
import { setTimeout as pause } from 'node:timers/promises';
import type { Contender } from './contender.ts';
import type { Load } from './load.ts';
import { type Figures, measure } from './measure.ts';
import { comparison, type Measured, roundRow } from './report.ts';
import { countStatements, trackStatements } from './statements.ts';

/** The longest duration of the load that counts statements. It is separate, because counting costs a little. */
const COUNTED_SECONDS = 5;
const REST_MS = 1_000;

export async function compareInTurns(contenders: Contender[], load: Load, rounds: number): Promise<void> {
  const figures = new Map<Contender, Figures[]>(contenders.map((one) => [one, []]));
  for (let round = 1; round <= rounds; round += 1)
    for (const one of contenders) {
      const measured = await measure(one, load);
      figures.get(one)?.push(measured);
      for (const error of measured.errors.slice(0, 3)) console.log(`${one.name}: ${error}`);
      console.log(roundRow(round, one.name, measured));
    }
  const measured: Measured[] = [];
  for (const one of contenders)
    measured.push({
      name: one.name,
      rounds: figures.get(one) ?? [],
      statements: await statementsAPayment(one, load),
    });
  console.log(`\n${comparison(measured)}`);
}

async function statementsAPayment(one: Contender, { ratePerSecond, seconds }: Load): Promise<number> {
  const { databaseUrl } = one.stack;
  await trackStatements(databaseUrl);
  await pause(REST_MS);
  const before = await countStatements(databaseUrl);
  const { completed } = await measure(one, { ratePerSecond, seconds: Math.min(seconds, COUNTED_SECONDS) });
  return ((await countStatements(databaseUrl)) - before) / Math.max(1, completed);
}
