// Pays out a withdrawal to the bank details that were copied when it was accepted.
import type { BankDetails } from '../domain/bank-details.ts';
import { handleFor } from '../domain/handles.ts';
import { required } from '../domain/required.ts';
import { accountRefsIn } from '../ledger/account-refs.ts';
import { withdraw } from '../lifecycle/withdraw.ts';
import { createOrAdopt } from '../provider/create-or-adopt.ts';
import { encryptionContexts } from '../security/encryption-contexts.ts';
import { findWithdrawToPayOut } from '../tables/withdraws/statements.ts';
import { completeWith } from './complete.ts';
import type { EffectHandler } from './effect.ts';
import { failDefinitively } from './fail-definitively.ts';
import { assertRepeatable, untilUnansweredIsOld } from './in-flight.ts';
import { lookUp } from './look-up.ts';

export const startWithdrawPayout: EffectHandler = async (services, effect) => {
  const { subjectId: id, userId } = effect;
  const row = required(await findWithdrawToPayOut(services.db, { id, userId }), `the withdrawal ${id}`);
  const handle = handleFor(id, 'withdraw');
  const find = () => services.provider.findPayout(handle);
  const { existing, lookedUpAt } = await lookUp(services, effect, handle, find);
  if (existing) return completeWith(services, effect, existing);
  assertRepeatable(effect, lookedUpAt);

  const answer = await createOrAdopt({
    find,
    create: async () => {
      const context = encryptionContexts.withdrawDestination(userId, id);
      const destination = await services.sealer.open(context, row.destinationSealed);
      return services.provider.createPayout({
        handle,
        sourceAccountRef: accountRefsIn(row.refs).of(row.currency),
        amountMinor: row.amountMinor,
        currency: row.currency,
        destination: { rail: row.rail, details: JSON.parse(destination) as BankDetails },
      });
    },
  });
  if ('snapshot' in answer) return completeWith(services, effect, answer.snapshot);
  const reason = answer.refusal === 'insufficient_funds' ? 'insufficient_funds' : 'withdraw_failed';
  return failDefinitively(
    services,
    withdraw,
    effect,
    { type: 'off-ramp.failed', reason },
    { why: answer.refusal, lookedUpAt, inFlightUntil: untilUnansweredIsOld },
  );
};
