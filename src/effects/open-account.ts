// Opens one account at the provider for a verified user.
import { handleFor } from '../domain/handles.ts';
import { OutcomeUnknown } from '../provider/errors.ts';
import { completeWith } from './complete.ts';
import { createOrAdopt } from './create-or-adopt.ts';
import type { EffectHandler } from './effect.ts';
import { lookUp } from './look-up.ts';

export const openAccount: EffectHandler = async (app, effect) => {
  const account = await app.db
    .selectFrom('provider_accounts')
    .innerJoin('provider_resources as owner', (join) =>
      join.onRef('owner.user_id', '=', 'provider_accounts.user_id').on('owner.kind', '=', 'owner'),
    )
    .select(['provider_accounts.currency', 'owner.provider_ref as ownerRef'])
    .where('provider_accounts.id', '=', effect.subject_id)
    .where('provider_accounts.user_id', '=', effect.user_id)
    .executeTakeFirstOrThrow();
  if (account.ownerRef === null) throw new Error('a verified user without an owner at the provider');
  const { currency, ownerRef } = account;
  const handle = handleFor(effect.user_id, `account-${currency}`);

  const find = () => app.provider.findAccount(handle);
  const { existing } = await lookUp(app, effect, handle, find);
  if (existing) return completeWith(app, effect, existing);
  const placed = await createOrAdopt({
    find,
    create: () => app.provider.createAccount({ handle, ownerRef, currency }),
  });
  // A refusal leaves nothing to undo and nothing to tell the user: it is tried again and shown to operators.
  if ('refusal' in placed) throw new OutcomeUnknown('createAccount', `refused with ${placed.refusal}`);
  return completeWith(app, effect, placed.snapshot);
};
