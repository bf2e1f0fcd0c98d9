// Opens one account at the provider for a verified user.
import { byEntity } from '../database/by-entity.ts';
import { handleFor } from '../domain/handles.ts';
import { OutcomeUnknown } from '../provider/errors.ts';
import { completeWith } from './complete.ts';
import { createOrAdopt } from './create-or-adopt.ts';
import type { EffectHandler } from './effect.ts';
import { lookUp } from './look-up.ts';

export const openAccount: EffectHandler = async (app, effect) => {
  const account = await byEntity(app.db)
    .selectFrom('ProviderAccount as account')
    .innerJoin('ProviderResource as owner', (join) =>
      join.onRef('owner.userId', '=', 'account.userId').on('owner.kind', '=', 'owner'),
    )
    .select(['account.currency', 'owner.providerRef as ownerRef'])
    .where('account.id', '=', effect.subject_id)
    .where('account.userId', '=', effect.user_id)
    .executeTakeFirstOrThrow();
  if (account.ownerRef === null) throw new Error('a verified user without an owner at the provider');
  const { currency, ownerRef } = account;
  const handle = handleFor(effect.user_id, `account-${currency}`);

  const find = () => app.provider.findAccount(handle);
  const { existing } = await lookUp(app, effect, handle, find);
  if (existing) return completeWith(app, effect, existing);
  const answer = await createOrAdopt({
    find,
    create: () => app.provider.createAccount({ handle, ownerRef, currency }),
  });
  // A refusal leaves nothing to undo and nothing to tell the user: it is tried again and shown to operators.
  if ('refusal' in answer) throw new OutcomeUnknown('createAccount', `refused with ${answer.refusal}`);
  return completeWith(app, effect, answer.snapshot);
};
