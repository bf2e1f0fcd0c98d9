// Lists closed accounts that still have money. Their users can no longer use the app, so the money must be sent back by hand.

import { moneyIn } from '../../src/privacy/money-left.ts';
import { waitingOperator } from '../../src/provider/caller.ts';
import { OutcomeUnknown } from '../../src/provider/errors.ts';
import { servicesFor } from '../../src/start/app.ts';
import { type ClosedUser, listClosedUsers } from '../../src/tables/ops/closed-accounts.ts';
import type { CommandCall, CommandSpec } from '../command.ts';
import { age, amount } from '../format.ts';
import { printList } from '../table.ts';

export const accountsClosedWithMoneyCommand: CommandSpec = {
  name: 'accounts closed-with-money',
  summary: 'closed accounts with a balance, a failed payout or an unsettled review',
  isList: true,
  run,
};

const CONCURRENCY = 8;

async function run({ app, out, limit, signal }: CommandCall): Promise<void> {
  const services = servicesFor(app, waitingOperator);
  const found: ClosedLine[] = [];
  const closed = await listClosedUsers(app.db, {});
  for (let at = 0; at < closed.length && found.length <= limit && !signal.aborted; at += CONCURRENCY) {
    const page = closed.slice(at, at + CONCURRENCY);
    const lines = await Promise.all(page.map((user) => withBalances(services, user)));
    out.progress(
      `Asked the provider about ${Math.min(at + CONCURRENCY, closed.length)} of ${closed.length} closed accounts`,
    );
    found.push(
      ...lines.filter(
        ({ balances, failedPayouts, reviews }) => balances.length + failedPayouts.length + reviews.length > 0,
      ),
    );
  }
  printList({ out, limit }, found, `None of ${closed.length} closed accounts holds money.`, [
    { title: 'user', of: ({ userId }) => userId },
    { title: 'closed', of: ({ closedAt }) => age(closedAt, out.now), alignRight: true },
    { title: 'balances at the provider', of: ({ balances }) => balances.map(balanceText).join(', ') },
    { title: 'failed payouts', of: ({ failedPayouts }) => failedPayouts.join(', ') },
    { title: 'unsettled reviews', of: ({ reviews }) => reviews.join(', ') },
  ]);
}

/** A balance in minor units; null if the provider did not answer. */
type Services = Parameters<typeof moneyIn>[0];
type Balance = { currency: string; minor: number | null };
/** `balances` are the parts of balances that may belong to the user and are not zero. */
type ClosedLine = Omit<ClosedUser, 'accounts'> & { balances: Balance[] };

const balanceText = ({ currency, minor }: Balance): string =>
  minor === null ? `${currency} unreachable` : amount(minor, currency);

async function withBalances(services: Services, { accounts, ...user }: ClosedUser): Promise<ClosedLine> {
  const { userId } = user;
  const balances = await Promise.all(
    accounts.map(async ({ currency, ref: providerAccountId }) => ({
      currency,
      minor: await balanceIn(services, { userId, currency, providerAccountId }),
    })),
  );
  return { ...user, balances: balances.filter(({ minor }) => minor !== 0) };
}

const balanceIn = (...of: Parameters<typeof moneyIn>): Promise<number | null> =>
  moneyIn(...of).catch((error: unknown) => {
    if (error instanceof OutcomeUnknown) return null;
    throw error;
  });
