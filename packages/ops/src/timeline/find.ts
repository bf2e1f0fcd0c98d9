// Finds the payment, withdrawal, deposit or user by any id from a screen, a receipt, a log or the provider's e-mail.
import { validate as isUuid } from 'uuid';
import type { App } from '../../../../src/start/app.ts';
import { parseQuoteId } from '../../../../src/domain/ids.ts';
import {
  findPaymentByReceipt,
  listByOwnId,
  listByRelatedId,
  listByRequest,
  type TimelineSubject,
} from '../../../../src/platform/sql/ops/timeline.ts';

/** Finds the subject of an id. Returns null if no row here has it. */
export async function find(app: App, given: string): Promise<TimelineSubject | null> {
  const id = parseQuoteId(given) ?? given.toLowerCase();
  const found = isUuid(id)
    ? ((await findByOurs(app, id)) ?? (await findByRelated(app, id)))
    : await findByReceipt(app, given);
  return found ?? (await findByRequest(app, given));
}

const findByOurs = async ({ db }: App, id: string): Promise<TimelineSubject | null> =>
  (await listByOwnId(db, { id }))[0] ?? null;

async function findByRelated(app: App, id: string): Promise<TimelineSubject | null> {
  const [related] = await listByRelatedId(app.db, { id, provider: app.config.provider.name });
  if (!related) return null;
  const found = related.subjectId && (await findByOurs(app, related.subjectId));
  // Accounts, verifications and bank details have no timeline, so their user is shown.
  return found || (related.userId && (await findByOurs(app, related.userId))) || null;
}

async function findByReceipt({ db }: App, receipt: string): Promise<TimelineSubject | null> {
  const payment = await findPaymentByReceipt(db, { receipt });
  return payment ? { kind: 'pix_payment', ...payment } : null;
}

async function findByRequest(app: App, requestId: string): Promise<TimelineSubject | null> {
  for (const { subjectId, userId } of await listByRequest(app.db, { requestId })) {
    const found = (await findByOurs(app, subjectId)) ?? (await findByOurs(app, userId));
    if (found) return found;
  }
  return null;
}
