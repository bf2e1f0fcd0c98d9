// Derives a handle: a uuid of version 5 from the service's id and the purpose, "<id>:<purpose>". Neither the namespace nor a
// purpose may ever change, or the service would create unfinished orders at the provider a second time.
import { v5 } from 'uuid';

const NAMESPACE = 'b8ea43ba-94e8-4e49-a2cc-1d6cc4caf403';

export type Leg = 'direct' | 'leg1' | 'leg2' | 'reverse' | 'return' | 'partial';

const derive = (id: string, purpose: string): string => v5(`${id}:${purpose}`, NAMESPACE);

/** The handles of everything that the service can create for a user, a payment or a withdrawal. */
export const handles = {
  owner: (userId: string) => derive(userId, 'owner'),
  account: (userId: string, currency: string) => derive(userId, `account-${currency}`),
  /** Each conversion of a part that came back has the handle of its movement. */
  partial: (movementId: string, attempt: number) =>
    derive(attempt <= 1 ? movementId : `${movementId}:${attempt}`, 'conversion-partial'),
  contestation: (paymentId: string) => derive(paymentId, 'contestation'),
  conversion: (paymentId: string, leg: Leg) => derive(paymentId, `conversion-${leg}`),
  payout: (paymentId: string) => derive(paymentId, 'payout'),
  withdraw: (withdrawId: string) => derive(withdrawId, 'withdraw'),
};

/** The handle of the conversion that debits the home account. */
export const homeDebitOf = ({ id, flow }: { id: string; flow: string }): string =>
  handles.conversion(id, flow === 'two_hop' ? 'leg1' : 'direct');
