// Every balance that an app received was the balance of the home account in the provider's ledger. It is no older than the cache
// allows, and no older than a final state that the app had already been shown. Every movement of money invalidates the cache.
import type { Books } from '../books.ts';
import type { Check } from '../counts.ts';
import { promisesIn } from '../promises.ts';
import { OLD_BALANCE } from '../rules/provider-faults.ts';
import { firstOfEach, type ShownBalance } from '../shown.ts';

/** How long a cached balance is shown (design, "Balance"). */
const KEPT_MS = 15_000;
/** The age of the oldest balance that the provider shows when the run injects a lagging read. */
const LAG_MS = 5_000;
/** The allowed difference between the clocks of the provider's ledger and of the app. */
const CLOCKS_MS = 1_000;

export function shownBalancesWereTrue(books: Books, check: Check): void {
  const { ours, seen, funds } = books;
  const homes = new Map(ours.users.map(({ id, home_currency: currency }) => [id, currency]));
  const lagging = laggingUsers(books);
  const toldOf = movementsToldOf(books);
  for (const shown of seen.shown.balances) {
    const { userId, currency, amount, sentAt, answeredAt } = shown;
    const keptMs = sentAt - KEPT_MS - CLOCKS_MS;
    // A lagging read may have been cached after the movement had invalidated the cache.
    const fromMs = lagging.has(userId) ? keptMs - LAG_MS : Math.max(keptMs, toldOf(shown));
    const had = funds.balances(userId, fromMs, answeredAt + CLOCKS_MS);
    check(userId, had.includes(amount), `shown ${amount} when the account had ${had.join(', ')}`);
    check(userId, currency === homes.get(userId), `shown a balance in ${currency}`);
  }
}

function laggingUsers({ ours, theirs }: Books): Set<string> {
  const accounts = new Set(
    theirs.injected.filter(({ kind }) => kind === OLD_BALANCE).map(({ resource_uuid: uuid }) => uuid),
  );
  return new Set(
    ours.accounts
      .filter(({ provider_account_id: uuid }) => accounts.has(uuid))
      .map(({ user_id: user }) => user),
  );
}

/** @returns when money last moved on the home account for an order whose final state the app had been shown. */
function movementsToldOf({ seen, movementsOf }: Books): (shown: ShownBalance) => number {
  const promisedWith = promisesIn(seen);
  const shownEnds = firstOfEach(seen.shown.sightings)
    .filter(({ status }) => ends.has(status))
    .flatMap((sighting) =>
      (promisedWith(sighting)?.moves ?? [])
        .flatMap((handle) => movementsOf(handle))
        .filter(({ created_at: at }) => at <= sighting.answeredAt)
        .map(({ currency, created_at: at }) => ({ ...sighting, currency, at })),
    );
  const byUser = Map.groupBy(shownEnds, ({ userId, currency }) => `${userId} ${currency}`);
  return ({ userId, currency, sentAt }) =>
    Math.max(
      0,
      ...(byUser.get(`${userId} ${currency}`) ?? [])
        .filter(({ answeredAt }) => answeredAt <= sentAt)
        .map(({ at }) => at),
    );
}

const ends = new Set(['completed', 'refunded', 'failed']);
