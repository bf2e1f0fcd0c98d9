// Opens one account at the provider for a verified user.
import { handleFor } from '../domain/handles.ts';
import { createOrAdopt } from '../provider/create-or-adopt.ts';
import { OutcomeUnknown } from '../provider/errors.ts';
import { findAccountToOpen } from '../tables/provider-accounts/statements.ts';
import { completeWith } from './complete.ts';
import type { EffectHandler } from './effect.ts';
import { lookUp } from './look-up.ts';

export const openAccount: EffectHandler = async (services, effect) => {
  const account = await findAccountToOpen(services.db, { id: effect.subjectId, userId: effect.userId });
  if (!account) throw new Error(`the account ${effect.subjectId} or its owner is missing`);
  if (account.ownerRef === null) throw new Error('a verified user has no owner at the provider');
  const { currency, ownerRef } = account;
  const handle = handleFor(effect.userId, `account-${currency}`);

  const find = () => services.provider.findAccount(handle);
  const { existing } = await lookUp(services, effect, handle, find);
  if (existing) return completeWith(services, effect, existing);
  const answer = await createOrAdopt({
    find,
    create: () => services.provider.createAccount({ handle, ownerRef, currency }),
  });
  // A refusal needs no compensation and no message to the user, so the effect is retried and operators see it.
  if ('refusal' in answer) throw new OutcomeUnknown('createAccount', `refused with ${answer.refusal}`);
  return completeWith(services, effect, answer.snapshot);
};
