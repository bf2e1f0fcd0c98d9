// Sends a withdrawal to the bank details that were copied when it was accepted.
import type { BankDetails } from '../domain/bank-details.ts';
import { handleFor } from '../domain/handles.ts';
import { withdraw } from '../lifecycle/withdraw.ts';
import { accountRefs } from '../queries/account-refs.ts';
import { places } from '../sealing/places.ts';
import type { EffectHandler } from './effect.ts';
import { finishWith } from './finish.ts';
import { assertNothingInFlight } from './in-flight.ts';
import { place } from './place.ts';
import { settle } from './settle.ts';

export const startWithdrawPayout: EffectHandler = async (app, effect) => {
  const row = await app.db
    .selectFrom('withdraws')
    .select(['id', 'currency', 'amount_minor', 'rail', 'destination_sealed'])
    .where('id', '=', effect.subject_id)
    .where('user_id', '=', effect.user_id)
    .executeTakeFirstOrThrow();
  const handle = handleFor(row.id, 'withdraw');

  const placed = await place(effect.attempts, {
    find: () => app.provider.findPayout(handle),
    create: async () => {
      const accounts = await accountRefs(app.db, effect.user_id);
      const destination = await app.sealer.open(
        places.withdrawDestination(effect.user_id, row.id),
        row.destination_sealed,
      );
      return app.provider.createPayout({
        handle,
        sourceAccountRef: accounts.of(row.currency),
        amountMinor: row.amount_minor,
        currency: row.currency,
        destination: { rail: row.rail, details: JSON.parse(destination) as BankDetails },
      });
    },
  });
  if ('snapshot' in placed) return finishWith(app, effect, placed.snapshot);
  assertNothingInFlight(app, effect);
  const reason = placed.refusal === 'insufficient_funds' ? 'insufficient_funds' : 'withdraw_failed';
  return settle(app, withdraw, effect, { type: 'off-ramp.failed', reason });
};
