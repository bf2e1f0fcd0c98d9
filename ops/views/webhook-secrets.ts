// Lists the webhook secrets: which are accepted and until when, and how many callbacks still have to be moved to the newest.

import type { App } from '../../src/start/app.ts';
import { listWebhookSecrets } from '../../src/tables/ops/webhook-secrets.ts';
import { nextStepOfRotation } from '../../src/webhooks/rotation.ts';
import { hashText } from '../../src/webhooks/secrets.ts';
import type { CommandSpec } from '../command.ts';
import { age } from '../format.ts';
import { countToBeMoved } from '../move-callbacks.ts';
import { printList } from '../table.ts';

export const webhookSecretStatusCommand: CommandSpec = {
  name: 'webhook-secret status',
  summary: 'the secrets that callbacks are accepted under, and how many are yet to be moved',
  run: async ({ app, out }) => {
    const lines = await readSecrets(app);
    const nothing = 'The secret was never rotated: only the configured one is accepted.';
    printList({ out, limit: lines.length }, lines, nothing, [
      { title: 'secret', of: ({ id }) => id },
      {
        title: 'status',
        of: ({ status, isConfigured, isUnfinished: isOpen }) =>
          [status, isConfigured && 'configured', isOpen && 'not finished'].filter(Boolean).join(', '),
      },
      { title: 'age', of: ({ createdAt }) => age(createdAt, out.now), alignRight: true },
      {
        title: 'accepted',
        of: ({ acceptedUntil: until }) => {
          if (until === null) return 'indefinitely';
          return until > out.now ? `for ${age(until, out.now).slice('in '.length)}` : 'no longer';
        },
      },
      { title: 'to be moved to it', of: ({ toBeMoved }) => String(toBeMoved ?? ''), alignRight: true },
    ]);
    const next = await nextStepOfRotation(app.db);
    if (next !== null) out.note(out.style.yellow(`The rotation is not finished. Now: ${next}.`));
  },
};

async function readSecrets({ db, databaseClock, config }: App) {
  const configured = hashText(config.webhookSecret);
  const rows = await listWebhookSecrets(db, {});
  const newest =
    rows.find(({ status }) => status === 'pending') ?? rows.find(({ status }) => status === 'current');
  const remaining = newest && rows.length > 1 ? await countToBeMoved({ db, databaseClock }, newest.id) : null;
  return rows.map(({ hash, ...row }) => ({
    ...row,
    isConfigured: hash === configured,
    /** The number of resources whose callbacks still use another secret. Only the newest secret has it; null for the others. */
    toBeMoved: row.id === newest?.id ? remaining : null,
  }));
}
