// Locks the payment that an operator has named by its id.
import { lockSubject } from '../src/tables/lifecycles.ts';
import type { Db } from '../src/tables/orm.ts';
import { findPixPaymentById } from '../src/tables/pix-payments/statements.ts';
import type { Entity } from '../src/tables/rows.ts';
import { OpsFailure } from './command.ts';
import { noSuchPayment } from './format.ts';

/** @throws OpsFailure if there is no such payment. */
export async function lockPayment(tx: Db, id: string): Promise<Entity<'PixPayment'>> {
  const payment = await findPixPaymentById(tx, { id });
  const locked = payment && (await lockSubject.PixPayment(tx, { id, userId: payment.userId }));
  if (!locked) throw new OpsFailure(noSuchPayment(id));
  return locked as Entity<'PixPayment'>;
}
