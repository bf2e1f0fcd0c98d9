// The queue's listener hears of new jobs on a connection on which it asks nothing, so no deadline of an answer would ever end
// that one if it froze. It is asked for a sign of life now and then; when it is given up, the library listens on another.
import type { WorkerEvents } from 'graphile-worker';

const SIGN_OF_LIFE_EVERY_MS = 3_000;

/** Call it before `run`. */
export function watchListener(events: WorkerEvents): void {
  events.on('pool:listen:success', ({ client }) => {
    const timer = setInterval(() => {
      client.query('select 1').catch(() => undefined);
    }, SIGN_OF_LIFE_EVERY_MS);
    const end = (): void => {
      clearInterval(timer);
      events.off('pool:listen:release', ended);
    };
    const ended = ({ client: released }: { client: unknown }): void => {
      if (released === client) end();
    };
    events.on('pool:listen:release', ended);
    client.once('end', end);
  });
}
