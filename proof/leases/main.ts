// `npm run leases`: what time does to leases. A process is stopped and continued, the database is frozen, heartbeats are cut, and
// processes with leases are killed. In each case the right processes take the work over in time, no other process does, and nothing
// is done twice. Exits with 1 if anything does not hold.
import { join } from 'node:path';
import { markdownTable, writeSection } from '../../harness/report.ts';
import { type AtEnd, runInFolder } from '../run-in-folder.ts';
import { readOptions } from './options.ts';
import { runScenario } from './run.ts';
import { scenarios } from './scenarios.ts';

const options = readOptions(process.argv.slice(2));

const section = {
  heading: 'Leases',
  begin: '<!-- leases:begin, written by npm run leases -- --report -->',
  end: '<!-- leases:end -->',
};

await runInFolder('leases', options, async (folder, atEnd) => {
  const begun = Date.now();
  const tables: string[] = [];
  const violations: string[] = [];
  for (const name of options.scenarios) {
    const { rows, violations: found } = await withItsOwnEnd(atEnd, (stops) =>
      runScenario(name, options, join(folder, name), stops),
    );
    tables.push(markdownTable([scenarios[name].title, ''], rows));
    violations.push(...found.map((what) => `${name}: ${what}`));
  }
  const took = `${Math.round((Date.now() - begun) / 60_000)} minutes`;
  const text = [`${violations.length} violations in ${took}.`, ...tables].join('\n\n');
  console.log(`\n${text}\n`);
  if (options.reportFile !== null) writeSection(options.reportFile, section, text);
  for (const violation of violations) console.error(`VIOLATION  ${violation}`);
  return violations.length === 0;
});

/** Stops everything that a scenario has started when the scenario ends, or with the run if that ends first. */
async function withItsOwnEnd<Ended>(atEnd: AtEnd, run: (atEnd: AtEnd) => Promise<Ended>): Promise<Ended> {
  const stops: (() => Promise<void>)[] = [];
  const stopAll = async (): Promise<void> => {
    for (const stop of stops.splice(0).toReversed()) await stop();
  };
  atEnd(stopAll);
  const ended = await run((stop) => stops.push(stop));
  await stopAll();
  return ended;
}
