// Sends callbacks over HTTP with little overhead: only the status of the receiver's answer is read.
import { Agent, type Dispatcher } from 'undici';

export interface CallbackSender {
  /** Sends a callback and returns the status of the receiver's answer. Null if none arrived. */
  send(url: string, body: string): Promise<number | null>;
  /** Aborts the requests in flight. */
  stop(): Promise<void>;
}

const TIMEOUT_MS = 10_000;
const HEADERS = { 'content-type': 'application/json' };

export function createCallbackSender(connections: number): CallbackSender {
  const agent = new Agent({
    connections,
    pipelining: 1,
    keepAliveTimeout: 30_000,
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  });
  return {
    send: (url, body) =>
      new Promise((resolve) => {
        if (!URL.canParse(url)) return resolve(null);
        const { origin, pathname, search } = new URL(url);
        const request = { origin, path: pathname + search, method: 'POST', headers: HEADERS, body } as const;
        agent.dispatch(request, resolveWhenAnswered(resolve));
      }),
    stop: () => agent.destroy(),
  };
}

function resolveWhenAnswered(resolve: (status: number | null) => void): Dispatcher.DispatchHandler {
  let status = 0;
  return {
    onRequestStart: () => undefined,
    onResponseStart: (_controller, statusCode) => {
      status = statusCode;
    },
    onResponseData: () => undefined,
    onResponseEnd: () => resolve(status),
    onResponseError: () => resolve(null),
  };
}
