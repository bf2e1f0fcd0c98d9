// A quote given to a user is kept, so that it can be confirmed once, for exactly what it said.
import type { Insertable } from 'kysely';
import type { Db } from '../database/orm.ts';
import { newId } from '../domain/ids.ts';
import type { Tables } from '../entities/index.ts';

/** @returns the id it is kept under. */
export async function keepPixQuote(
  db: Db,
  quote: Omit<Insertable<Tables['pix_quotes']>, 'id'>,
): Promise<string> {
  const id = newId();
  await db
    .insertInto('pix_quotes')
    .values({ id, ...quote })
    .execute();
  return id;
}
