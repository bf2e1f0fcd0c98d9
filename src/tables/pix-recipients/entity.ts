// A recipient whom a user has paid, by PIX key. The id derives from the key (payments/recipients/note.ts). The key and the name are those
// of the payments that the row names, so no personal value is stored twice.
import { defineEntity } from '@mikro-orm/core';
import { moment } from '../columns.ts';
import { exported } from '../export-marks.ts';
import { owner } from '../owner.ts';
import { byUser } from '../place.ts';

export const PixRecipient = defineEntity({
  name: 'PixRecipient',
  tableName: 'pix_recipients',
  place: byUser,
  indexes: [{ name: 'pix_recipients_user_page', properties: ['userId', 'lastPaidAt', 'id'] }],
  properties: {
    id: exported.uuid().primary(),
    userId: () => owner().primary(),
    /** The last payment to the recipient. A payment is kept as long as its user, so no foreign key is needed. */
    lastPaymentId: exported.uuid(),
    /** The last payment to the recipient that has a name. Null if none has. */
    namedPaymentId: exported.uuid().nullable(),
    /** When the last payment to the recipient was completed. */
    lastPaidAt: moment(),
  },
});
