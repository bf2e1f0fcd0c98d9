import { bringUpToDate } from '../../src/tables/schema/bring-up-to-date.ts';

/** Migrates a database as `npm run db:migrate` does, and returns what it says. */
export async function migrateWith(url: string, roles: NodeJS.ProcessEnv): Promise<string> {
  const said: string[] = [];
  await bringUpToDate(url, roles, (sentence) => said.push(sentence));
  return said.join('\n');
}
