// The provider's callbacks.
import { sql } from 'kysely';
import { prepared } from '../database/prepared.ts';

/** Makes the callbacks due that wait for their next attempt. */
export const bringCallbacksForward = prepared.count(
  () => sql`update webhook_events set due_at = now() where leased_by is null and due_at > now()`,
);
