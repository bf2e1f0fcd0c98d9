// A quote given to a user is kept, so that it can be confirmed once, for exactly what it said. A price that was asked for
// before its user closed the account, and comes after that, is not.
import type { Insertable } from 'kysely';
import type { App } from '../app.ts';
import { lockUser } from '../balance/reserve.ts';
import type { Db } from '../database/orm.ts';
import { newId } from '../domain/ids.ts';
import type { Tables } from '../entities/index.ts';

type NewQuote = Omit<Insertable<Tables['pix_quotes']>, 'id'>;

/**
 * @returns the id it is kept under.
 * @throws Refusal `account_closed`
 */
export const keepQuoteOfUser = (app: App, quote: NewQuote): Promise<string> =>
  app.db.transaction().execute(async (tx) => {
    await lockUser(tx, quote.user_id);
    return keepPixQuote(tx, quote);
  });

/** @returns the id it is kept under. */
export async function keepPixQuote(db: Db, quote: NewQuote): Promise<string> {
  const id = newId();
  await db
    .insertInto('pix_quotes')
    .values({ id, ...quote })
    .execute();
  return id;
}
