// Spends a user's tokens on a question whose answer names another person: the look-up of a recipient, a PIX code, or the check of a bank
// account's name. The cost is known once the answer is. So the most that it can cost is taken first, and the rest is given back. If a
// process is killed in between, the user has fewer tokens for some minutes, and nothing else is lost.
import { insertEntries } from '../audit/entry.ts';
import {
  type AnswerKind,
  costs,
  MAX_TOKENS,
  SECONDS_PER_TOKEN,
  TAKEN_BEFORE,
} from '../domain/name-budget.ts';
import { Refusal } from '../domain/refusals.ts';
import type { DatabaseClock } from '../platform/database/database-time.ts';
import { inDbTransaction } from '../platform/database/db-transaction.ts';
import {
  findNameBudget,
  insertFullBudget,
  returnTokens,
  setRecorded,
  takeTokens,
} from '../tables/name-budgets/statements.ts';
import type { Db } from '../tables/orm.ts';

/** How often a request tries to take tokens while others give theirs back. */
const MAX_TRIES = 5;

type Services = {
  db: Db;
  databaseClock: DatabaseClock;
  metrics: { nameBudgetEmpty: () => void };
};
type Caller = { userId: string; requestId: string };

/**
 * Asks a question whose answer may name a person, if the user has at least one token.
 * @param kindOf says what the answer is, and so what it costs.
 * @throws Refusal `lookup_budget_spent` if no token is left. Nothing was asked.
 */
export async function askWithinBudget<Answer>(
  services: Services,
  caller: Caller,
  ask: () => Promise<Answer>,
  kindOf: (answer: Answer) => AnswerKind,
): Promise<Answer> {
  const answer = await askUnlessSpent(services, caller, ask, kindOf);
  if (answer instanceof Refusal) throw answer;
  return answer;
}

/** Does the same as `askWithinBudget`, but returns the refusal: this user can go on without an answer. */
export async function askUnlessSpent<Answer>(
  services: Services,
  caller: Caller,
  ask: () => Promise<Answer>,
  kindOf: (answer: Answer) => AnswerKind,
): Promise<Answer | Refusal> {
  const refusal = await take(services, caller);
  if (refusal !== null) return refusal;
  const answer = await ask();
  const tokens = TAKEN_BEFORE - costs[kindOf(answer)];
  if (tokens > 0) await returnTokens(services.db, { userId: caller.userId, tokens });
  return answer;
}

/** Takes the most that an answer can cost. Returns the refusal if no token is left. */
async function take(services: Services, caller: Caller): Promise<Refusal | null> {
  const { db, databaseClock } = services;
  const { userId } = caller;
  for (let tries = 1; (await takeTokens(db, { userId, tokens: TAKEN_BEFORE })) === 0; tries += 1) {
    const budget = await findNameBudget(db, { userId });
    if (!budget) {
      await insertFullBudget(db, { userId });
      continue;
    }
    const now = await databaseClock.now(db);
    const waitMs = now.msUntil(budget.fullAt) - (MAX_TOKENS - 1) * SECONDS_PER_TOKEN * 1_000;
    // Another request has given tokens back since.
    if (waitMs <= 0 && tries < MAX_TRIES) continue;
    services.metrics.nameBudgetEmpty();
    const isRecorded = budget.recordedAt !== null && now.startOfDay().isBefore(budget.recordedAt);
    if (!isRecorded) await recordFirstOfDay(services, caller);
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
    return new Refusal('lookup_budget_spent', undefined, { retryAfterSeconds });
  }
  return null;
}

/** Records the first question of a day, in UTC, that found no token. */
const recordFirstOfDay = ({ db, databaseClock }: Services, { userId, requestId }: Caller): Promise<void> =>
  inDbTransaction(db, async (tx) => {
    const now = await databaseClock.now(tx);
    if ((await setRecorded(tx, { userId, now, since: now.startOfDay() })) === 0) return;
    const entry = { action: 'name-budget.spent', userId, requestId, details: {} };
    await insertEntries(tx, [{ ...entry, at: now.toDate() }]);
  });
