// A decision and the work that it emits are one commit: neither exists without the other.

import { expect, test } from 'vitest';
import { newId } from '../../src/domain/ids.ts';
import { enqueueEffect } from '../../src/outbox/enqueue.ts';
import { createOutbox, transaction } from '../../src/outbox/hand-off.ts';
import { byTable } from '../support/by-table.ts';
import { workIn } from '../support/outbox.ts';
import { signUp } from '../support/person.ts';
import { useWorld } from '../support/use-world.ts';

// No process runs work here, so due work stays due.
const { world } = useWorld({ env: { ROLE: 'api' } });

test('a decision that is not committed emits no work', async () => {
  const { db, clock } = world.service.app;
  const { userId } = await signUp(world);
  const order = {
    subject: { kind: 'bank_details', id: newId(), userId, seq: 1 },
    effect: { type: 'validateBankDetails' },
    resource: null,
    now: clock.now(),
  } as const;
  const undone = transaction({ db, outbox: createOutbox() }, async (tx) => {
    await enqueueEffect(tx, order);
    throw new Error('the decision is taken back');
  });
  await expect(undone).rejects.toThrow('the decision is taken back');
  expect(await workIn(world)).toEqual([]);

  await transaction({ db, outbox: createOutbox() }, (tx) => enqueueEffect(tx, order));
  const [effect] = await byTable(db).selectFrom('effects').select('id').execute();
  expect(await workIn(world)).toMatchObject([
    { kind: 'effect', id: effect?.id, type: 'validateBankDetails', leasedBy: null, attempts: 0 },
  ]);
});
