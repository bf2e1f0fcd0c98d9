// Sends a withdrawal to the bank details that were copied when it was accepted.
import type { App } from '../app.ts';
import type { BankDetails } from '../domain/bank-details.ts';
import { handleFor } from '../domain/handles.ts';
import type { EffectRow } from '../entities/rows.ts';
import { withdraw } from '../lifecycle/withdraw.ts';
import { accountRefs } from '../queries/account-refs.ts';
import { encryptionContexts } from '../sealing/encryption-contexts.ts';
import { completeWith } from './complete.ts';
import { createOrAdopt } from './create-or-adopt.ts';
import type { EffectHandler } from './effect.ts';
import { failDefinitively } from './fail-definitively.ts';
import { assertRepeatable, untilUnansweredIsOld } from './in-flight.ts';
import { lookUp } from './look-up.ts';

export const startWithdrawPayout: EffectHandler = async (app, effect) => {
  const row = await findWithdraw(app, effect);
  const handle = handleFor(row.id, 'withdraw');
  const find = () => app.provider.findPayout(handle);
  const { existing, lookedUpAt } = await lookUp(app, effect, handle, find);
  if (existing) return completeWith(app, effect, existing);
  assertRepeatable(effect, lookedUpAt);

  const placed = await createOrAdopt({
    find,
    create: async () => {
      const accounts = await accountRefs(app.db, effect.user_id);
      const destination = await app.sealer.open(
        encryptionContexts.withdrawDestination(effect.user_id, row.id),
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
  if ('snapshot' in placed) return completeWith(app, effect, placed.snapshot);
  const reason = placed.refusal === 'insufficient_funds' ? 'insufficient_funds' : 'withdraw_failed';
  return failDefinitively(
    app,
    withdraw,
    effect,
    { type: 'off-ramp.failed', reason },
    { why: placed.refusal, lookedUpAt, inFlightUntil: untilUnansweredIsOld },
  );
};

const findWithdraw = (app: App, effect: EffectRow) =>
  app.db
    .selectFrom('withdraws')
    .select(['id', 'currency', 'amount_minor', 'rail', 'destination_sealed'])
    .where('id', '=', effect.subject_id)
    .where('user_id', '=', effect.user_id)
    .executeTakeFirstOrThrow();
