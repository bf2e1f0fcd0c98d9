// Lists the webhook secrets: which are accepted and until when, and how many callbacks still have to be moved to the newest.
import type { Clock } from '../../../../src/domain/clock.ts';
import type { Db } from '../../../../src/platform/database/orm.ts';
import { listWebhookSecrets } from '../../../../src/platform/sql/ops/webhook-secrets.ts';
import type { Config } from '../../../../src/start/config.ts';
import { nextStepOfRotation } from '../../../../src/webhooks/rotation.ts';
import { hashText } from '../../../../src/webhooks/secrets.ts';
import type { CommandCall, CommandSpec } from '../command.ts';
import { age } from '../format.ts';
import { countToBeMoved } from '../move-callbacks.ts';
import { type Column, printList } from '../table.ts';

export const webhookSecretStatusCommand: CommandSpec = {
  name: 'webhook-secret status',
  summary: 'the secrets that callbacks are accepted under, and how many are yet to be moved',
  run,
};

type SecretLine = {
  id: string;
  status: string;
  createdAt: Date;
  acceptedUntil: Date | null;
  isConfigured: boolean;
  /** Whether the rotation to this secret is unfinished. */
  isUnfinished: boolean;
  /** The number of resources whose callbacks still use another secret. Only the newest secret has it; null for the others. */
  toBeMoved: number | null;
};

async function run({ app, out }: CommandCall): Promise<void> {
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

async function readSecrets({
  db,
  clock,
  config,
}: {
  db: Db;
  clock: Clock;
  config: Config;
}): Promise<SecretLine[]> {
  const configured = hashText(config.webhookSecret);
  const rows = await listWebhookSecrets(db, {});
  const newest =
    rows.find(({ status }) => status === 'pending') ?? rows.find(({ status }) => status === 'current');
  const remaining = newest && rows.length > 1 ? await countToBeMoved({ db, clock }, newest.id) : null;
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
