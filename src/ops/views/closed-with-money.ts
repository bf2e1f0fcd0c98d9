// Closed accounts that still hold money: nobody can reach it through the app any more, so it must be sent back by hand.
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import { awaitsUser } from '../../../machines/states.ts';
import type { App } from '../../app.ts';
import { OutcomeUnknown } from '../../provider/errors.ts';
import type { Call } from '../command.ts';
import { age, amount } from '../format.ts';
import { type Column, printList } from '../table.ts';

const AT_ONCE = 8;

export async function run({ app, out, limit, signal }: Call): Promise<void> {
  const columns: Column<ClosedLine>[] = [
    { title: 'user', of: ({ userId }) => userId },
    { title: 'closed', of: ({ closedAt }) => age(closedAt, out.now), isFigure: true },
    {
      title: 'balances at the provider',
      of: ({ balances }) =>
        balances
          .map((one) =>
            one.minor === null ? `${one.currency} unreachable` : amount(one.minor, one.currency),
          )
          .join(', '),
    },
    { title: 'failed payouts', of: ({ failedPayouts }) => failedPayouts.join(', ') },
  ];
  const found: ClosedLine[] = [];
  const closed = await closedUsers(app);
  for (let at = 0; at < closed.length && found.length <= limit && !signal.aborted; at += AT_ONCE) {
    const looked = await Promise.all(closed.slice(at, at + AT_ONCE).map((user) => lookAt(app, user)));
    out.progress(
      `Asked the provider about ${Math.min(at + AT_ONCE, closed.length)} of ${closed.length} closed accounts`,
    );
    found.push(...looked.filter(({ balances, failedPayouts }) => balances.length + failedPayouts.length > 0));
  }
  printList({ out, limit }, columns, found, `None of ${closed.length} closed accounts holds money.`);
}

type Account = { currency: string; ref: string };
type ClosedUser = { userId: string; closedAt: Date; accounts: Account[]; failedPayouts: string[] };
type ClosedLine = Omit<ClosedUser, 'accounts'> & {
  /** Those with money on them; null where the provider could not be asked. */
  balances: { currency: string; minor: number | null }[];
};

async function lookAt(app: App, { accounts, ...user }: ClosedUser): Promise<ClosedLine> {
  const balances = await Promise.all(
    accounts.map(async ({ currency, ref }) => ({ currency, minor: await balanceAt(app, ref) })),
  );
  return { ...user, balances: balances.filter(({ minor }) => minor !== 0) };
}

const balanceAt = (app: App, accountRef: string): Promise<number | null> =>
  app.provider.getAccount(accountRef).then(
    ({ balanceMinor }) => balanceMinor,
    (error: unknown) => {
      if (error instanceof OutcomeUnknown) return null;
      throw error;
    },
  );

/** Those closed the longest come first: their data is the next to be deleted. */
async function closedUsers({ db }: App): Promise<ClosedUser[]> {
  const users = await db
    .selectFrom('users')
    .select((of) => [
      'id as userId',
      'closed_at as closedAt',
      jsonArrayFrom(
        of
          .selectFrom('provider_accounts')
          .select(['currency', 'provider_account_id as ref'])
          .whereRef('user_id', '=', 'users.id')
          .where('provider_account_id', 'is not', null)
          .$narrowType<{ ref: string }>(),
      ).as('accounts'),
      jsonArrayFrom(
        of
          .selectFrom('pix_payments')
          .select('id')
          .whereRef('user_id', '=', 'users.id')
          .where('state', 'in', awaitsUser.pix_payment),
      ).as('failed'),
    ])
    .where('closed_at', 'is not', null)
    .$narrowType<{ closedAt: Date }>()
    .orderBy('closed_at')
    .execute();
  return users.map(({ failed, ...user }) => ({ ...user, failedPayouts: failed.map(({ id }) => id) }));
}
