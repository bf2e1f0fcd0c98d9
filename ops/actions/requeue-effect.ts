// Makes an effect due now, also an exhausted one.

import { TRIED_BEFORE } from '../../src/outbox/backoff.ts';
import { findUserOfEffect, lockEffect, queueEffectAgain } from '../../src/tables/effects/statements.ts';
import { audit, changed, inOneCommit, unchanged } from '../action.ts';
import { type CommandSpec, OpsFailure } from '../command.ts';

export const effectsRequeueCommand: CommandSpec = {
  name: 'effects requeue',
  summary: 'try an effect now, also an exhausted one',
  argument: { name: 'effectId', form: 'uuid' },
  run: inOneCommit(async (tx, call) => {
    const { argument: id } = call;
    const owner = await findUserOfEffect(tx, { id });
    const effect = owner && (await lockEffect(tx, { id, ...owner }));
    if (!effect) throw new OpsFailure(`There is no effect ${id}.`);
    const { status, leasedBy, userId, attempts } = effect;
    if (status === 'superseded')
      return unchanged('The effect is superseded: its payment or withdrawal has moved on.');
    if (status !== 'queued' && status !== 'exhausted')
      return unchanged(`The effect has its outcome: ${status}.`);
    // Two concurrent runs could each miss the other's request.
    if (leasedBy !== null) return unchanged('A worker is running the effect at the moment.');
    await queueEffectAgain(tx, { id, userId, attempts: status === 'exhausted' ? TRIED_BEFORE : attempts });
    await audit(tx, call, { target: id, userId });
    return changed('The effect is queued; its handle is looked up at the provider before anything is sent.');
  }),
};
