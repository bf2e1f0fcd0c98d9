// What must be answerable later is written down when it happens.
import type { App } from '../app.ts';
import { newId } from '../domain/ids.ts';

type Audited = { action: string; userId: string; requestId: string };

export async function audit(app: App, { action, userId, requestId }: Audited): Promise<void> {
  await app.db
    .insertInto('audit_events')
    .values({
      id: newId(),
      at: app.clock.now(),
      action,
      user_id: userId,
      request_id: requestId,
      details: {},
    })
    .execute();
}
