// Names that outlive a release, because databases, dashboards, scripts and configurations contain them. The names in
// `fixtures/names.json` are literal and the names of the code are derived, so a rename fails here. Other tests check derived values
// (values.test.ts), states and machine events (states.test.ts), and the public API (`openapi/released/`).
import { expect, test } from 'vitest';
import names from './fixtures/names.json' with { type: 'json' };
import { type NameKind, namesOfCode } from './names.ts';

/** The reason why each list of names is fixed: who depends on the names, and the consequence of a change. */
const meanings: Record<NameKind, string> = {
  columns: 'The release before this one still reads these columns while both run.',
  storedValues: 'Rows hold these values of the database’s own types.',
  heldRefusals: 'Effects whose refusal is pending hold these codes, and decide by them.',
  resolutions: 'Rows hold these sentences, and statements compare with them.',
  jobs: 'Runs in progress hold the job’s name and the name of its stage.',
  jobCounts: 'Finished runs hold these counts, and statements read them.',
  auditActions: 'The audit record holds these actions, and it is never rewritten.',
  migrations: 'Databases hold the names of their migrations: a migration under a new name is applied again.',
  logCodes: 'Alarms and searches in logs go by these codes.',
  metrics: 'Dashboards and alarms go by these metrics.',
  commands: 'Operators’ scripts and runbooks call these commands with these options.',
  variables: 'Deployments set these variables: under a new name, an optional one is silently ignored.',
};

const kinds = Object.keys(meanings) as NameKind[];

test.each(kinds)('the names of %s that were released are unchanged', (kind) => {
  const present = new Set(namesOfCode[kind]);
  const gone = names[kind].filter((name) => !present.has(name));
  expect(
    gone,
    `${meanings[kind]} Put them back. If a name has to go, a released version stops using it first; then take its line away.`,
  ).toEqual([]);
});

test.each(kinds)('every name of %s is in the fixture', (kind) => {
  const held = new Set(names[kind]);
  const added = [...new Set(namesOfCode[kind])].filter((name) => !held.has(name));
  expect(
    added,
    `${meanings[kind]} "npm run fixtures:keep" adds these lines to test/upgrade/fixtures/names.json.`,
  ).toEqual([]);
});
