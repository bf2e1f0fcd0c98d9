// How each reply fault appears to the client: some replace the work, the others spoil its answer.
import type { ServerResponse } from 'node:http';
import type { Reply } from '../provider/operation.ts';
import { writeHead } from '../provider/reply.ts';
import type { ReplyFault } from './kinds.ts';

const DRIP_MS = 100;
const NOWHERE = 'http://localhost:9/elsewhere';

type InsteadOfWork = Extract<ReplyFault, 'error500' | 'error503' | 'error429' | 'redirect'>;
export type SpoiltAnswer = Exclude<ReplyFault, InsteadOfWork>;

/** The reply that replaces the work. Null for a fault that appears after the work. */
export function insteadOfWork(fault: ReplyFault, retryAfterSeconds: number | null): Reply | null {
  switch (fault) {
    case 'error500':
      return { status: 500, body: { code: 'internal', detail: 'injected fault' } };
    case 'error503':
      return comeBack(
        { status: 503, body: { code: 'unavailable', detail: 'injected fault' } },
        retryAfterSeconds,
      );
    case 'error429':
      return comeBack(
        { status: 429, body: { code: 'rate_limited', detail: 'injected fault' } },
        retryAfterSeconds,
      );
    case 'redirect':
      return { status: 307, body: { location: NOWHERE }, headers: { location: NOWHERE } };
    default:
      return null;
  }
}

/** Adds a Retry-After to the reply, if there is one. */
export const comeBack = (reply: Reply, seconds: number | null): Reply =>
  seconds === null ? reply : { ...reply, headers: { 'retry-after': String(seconds) } };

/** Sends the spoilt reply. */
export function spoil(fault: SpoiltAnswer, response: ServerResponse, { status, body }: Reply): void {
  writeHead(response, status);
  SPOILERS[fault](response, JSON.stringify(body));
}

const SPOILERS: Record<SpoiltAnswer, (response: ServerResponse, text: string) => void> = {
  dropped: ({ socket }) => void socket?.destroy(),
  reset: ({ socket }) => void socket?.resetAndDestroy(),
  hang: () => undefined,
  drip(response, text) {
    const bytes = Buffer.from(text);
    let sent = 0;
    const tap = setInterval(() => {
      response.write(bytes.subarray(sent, ++sent));
      if (sent === bytes.length) response.end();
    }, DRIP_MS);
    response.once('close', () => clearInterval(tap));
    response.flushHeaders();
  },
  broken: (response, text) => void response.end(text.slice(0, text.length / 2)),
};
