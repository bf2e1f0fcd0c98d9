// Exports all data stored about a user, or the portable part of it, as one document that machines and people can read.

import type { Clock } from '../domain/clock.ts';
import { inDbTransaction } from '../platform/database/db-transaction.ts';
import type { Sealer } from '../security/sealer.ts';
import type { Db } from '../tables/orm.ts';
import { listPersonsRows, personalDataMap } from '../tables/personal-data-map.ts';
import { sections, withheld } from './export-sections.ts';
import { columnOf, type ExportedRow, exportRow } from './export-values.ts';
import { idsOf } from './user-ids.ts';

export type ExportKind = 'access' | 'portability';

export type UserExport = {
  format: 'ponte-export-1';
  kind: ExportKind;
  exportedAt: Date;
  userId: string;
  howToRead: string[];
  sections: { name: string; about: string; rows: ExportedRow[] }[];
  leftOut: { what: string; why: string }[];
};

type Name = keyof typeof sections;

/**
 * Exports a user's data.
 * @param kind `access` has all sections; `portability` has only the sections with data that the user provided or caused.
 */
export async function exportUser(
  { db, sealer, clock }: { db: Db; sealer: Sealer; clock: Clock },
  userId: string,
  kind: ExportKind,
): Promise<UserExport> {
  const names = (Object.keys(sections) as Name[]).filter(
    (name) => kind === 'access' || sections[name].isTheirOwn,
  );
  const found = await readTogether(db, userId, names);
  const exported: UserExport['sections'] = [];
  for (const { name, rows } of found) {
    const { about, columns } = sections[name];
    const exportedRows: ExportedRow[] = [];
    for (const row of rows) exportedRows.push(await exportRow(sealer, columns, row));
    exported.push({ name, about, rows: exportedRows });
  }
  return {
    format: 'ponte-export-1',
    kind,
    exportedAt: clock.now(),
    userId,
    howToRead,
    sections: exported,
    leftOut: leftOutOf(names),
  };
}

const howToRead = [
  'Each section is a table, each of its rows an entry; names are those of the database, in camel case.',
  'Moments are ISO 8601, in UTC. Ids are UUIDs and connect the sections: userId, transactionId, subjectId.',
  'Amounts are objects: the currency (ISO 4217, or USDC), whole minor units (pence, cents, centavos; USDC has six places), and the same as decimal text.',
  'Null is what is not known, or was removed.',
];

/** Reads all sections in one database snapshot, so that they are consistent with each other. */
const readTogether = (
  db: Db,
  userId: string,
  names: Name[],
): Promise<{ name: Name; rows: ExportedRow[] }[]> =>
  inDbTransaction(
    db,
    async (tx) => {
      const ids = await idsOf(tx, userId);
      const found: { name: Name; rows: ExportedRow[] }[] = [];
      for (const name of names) found.push({ name, rows: await listPersonsRows[name](tx, ids) });
      return found;
    },
    { isReadOnlySnapshot: true },
  );

function leftOutOf(names: Name[]): UserExport['leftOut'] {
  const columns = names.flatMap((name) =>
    Object.entries(sections[name].columns).flatMap(([property, how]) => {
      if (typeof how === 'string') return [];
      const column = columnOf(property);
      if ('leftOutBecause' in how) return [{ what: `${name}.${column}`, why: how.leftOutBecause }];
      return 'without' in how
        ? how.without.map((key) => ({ what: `${name}.${column}: ${key}`, why: how.because }))
        : [];
    }),
  );
  const tables = Object.entries(withheld).map(([what, why]) => ({ what, why }));
  const ofNobody = Object.entries(personalDataMap).flatMap(([what, place]) =>
    'nobodysBecause' in place
      ? [{ what, why: `This table has no personal data. ${place.nobodysBecause}` }]
      : [],
  );
  return [...columns, ...tables, ...ofNobody];
}
