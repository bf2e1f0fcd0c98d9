// Finds the payment, withdrawal, deposit or user by any id from a screen, a receipt, a log or the provider's e-mail.

import { validate as isUuid } from 'uuid';
import { parseQuoteId } from '../../src/domain/ids.ts';
import {
  findPaymentByReceipt,
  listByOwnId,
  listByRelatedId,
  listByRequest,
  type TimelineSubject,
} from '../../src/tables/ops/timeline.ts';
import type { Db } from '../../src/tables/orm.ts';
import type { SupportApp } from '../command.ts';

/** Finds the subject of an id. Returns null if no row here has it. */
export async function find({ db, config }: SupportApp, text: string): Promise<TimelineSubject | null> {
  const id = parseQuoteId(text) ?? text.toLowerCase();
  const found = isUuid(id)
    ? ((await findByOurs(db, id)) ?? (await findByRelated(db, id, config.provider?.name ?? null)))
    : await findByReceipt(db, text);
  return found ?? (await findByRequest(db, text));
}

const findByOurs = async (db: Db, id: string): Promise<TimelineSubject | null> =>
  (await listByOwnId(db, { id }))[0] ?? null;

/** @param provider the name under which movements are recorded. Null if it is unknown: then a movement's id finds nothing. */
async function findByRelated(db: Db, id: string, provider: string | null): Promise<TimelineSubject | null> {
  const [related] = await listByRelatedId(db, { id, provider });
  if (!related) return null;
  const found = related.subjectId && (await findByOurs(db, related.subjectId));
  // Accounts, verifications and bank details have no timeline, so their user is shown.
  return found || (related.userId && (await findByOurs(db, related.userId))) || null;
}

async function findByReceipt(db: Db, receipt: string): Promise<TimelineSubject | null> {
  const payment = await findPaymentByReceipt(db, { receipt });
  return payment ? { kind: 'pix_payment', ...payment } : null;
}

async function findByRequest(db: Db, requestId: string): Promise<TimelineSubject | null> {
  for (const { subjectId, userId } of await listByRequest(db, { requestId })) {
    const found = (await findByOurs(db, subjectId)) ?? (await findByOurs(db, userId));
    if (found) return found;
  }
  return null;
}
