// The webhook secrets: which are accepted, until when, and how many callbacks are yet to be moved to the newest.
import type { App } from '../../app.ts';
import { isRotationUnfinished } from '../../sql/webhook-secrets.ts';
import { nextStepOfRotation } from '../../webhooks/rotation.ts';
import { hashText } from '../../webhooks/secrets.ts';
import type { Call } from '../command.ts';
import { age } from '../format.ts';
import { type Column, printList } from '../table.ts';
import { countToBeMoved } from '../writes/move-callbacks.ts';

type SecretLine = {
  id: string;
  status: string;
  createdAt: Date;
  acceptedUntil: Date | null;
  isConfigured: boolean;
  /** Its rotation is not finished. */
  isUnfinished: boolean;
  /** Resources of the provider that call back under another secret; null for all but the newest. */
  toBeMoved: number | null;
};

export async function run({ app, out }: Call): Promise<void> {
  const lines = await readSecrets(app);
  printList(
    { out, limit: lines.length },
    columnsAt(out.now),
    lines,
    'The secret was never rotated: only the configured one is accepted.',
  );
  const next = await nextStepOfRotation(app.db);
  if (next !== null) out.note(out.style.yellow(`The rotation is not finished. Now: ${next}.`));
}

async function readSecrets(app: App): Promise<SecretLine[]> {
  const configured = hashText(app.config.webhookSecret);
  const rows = await app.db
    .selectFrom('webhook_secrets')
    .select(['id', 'hash', 'status', 'created_at as createdAt', 'accepted_until as acceptedUntil'])
    .select(isRotationUnfinished.as('isUnfinished'))
    .orderBy('id', 'desc')
    .execute();
  const newest =
    rows.find(({ status }) => status === 'pending') ?? rows.find(({ status }) => status === 'current');
  const remaining = newest && rows.length > 1 ? await countToBeMoved(app, newest.id) : null;
  return rows.map(({ hash, ...row }) => ({
    ...row,
    isConfigured: hash === configured,
    toBeMoved: row.id === newest?.id ? remaining : null,
  }));
}

const columnsAt = (now: Date): Column<SecretLine>[] => [
  { title: 'secret', of: ({ id }) => id },
  {
    title: 'status',
    of: ({ status, isConfigured, isUnfinished: isOpen }) =>
      [status, isConfigured && 'configured', isOpen && 'not finished'].filter(Boolean).join(', '),
  },
  { title: 'age', of: ({ createdAt }) => age(createdAt, now), alignRight: true },
  {
    title: 'accepted',
    of: ({ acceptedUntil: until }) => {
      if (until === null) return 'indefinitely';
      return until > now ? `for ${age(until, now).slice('in '.length)}` : 'no longer';
    },
  },
  { title: 'to be moved to it', of: ({ toBeMoved }) => String(toBeMoved ?? ''), alignRight: true },
];
