// Sends one request over a pool of kept-alive connections and reads the whole reply as text. It does not use undici's `request`,
// which creates a stream for each reply and an abort listener for each deadline: for a short reply, that costs more than the rest.
import type { Dispatcher } from 'undici';

type HttpRequest = { method: string; path: string; headers: Record<string, string>; body: string | null };
type HttpReply = { status: number; headers: Record<string, string | string[] | undefined>; text: string };

const utf8 = new TextDecoder();

/**
 * Sends a request and reads its whole reply.
 * @param withinMs the time limit of the whole exchange in milliseconds, also for a reply that arrives byte by byte.
 * @throws undici's error, or an error at the deadline. It is then unknown whether the provider executed the request.
 */
export const exchange = (pool: Dispatcher, request: HttpRequest, withinMs: number): Promise<HttpReply> =>
  new Promise((resolve, reject) => {
    let connection: Dispatcher.DispatchController | null = null;
    let expired: Error | null = null;
    let head: Omit<HttpReply, 'text'> = { status: 0, headers: {} };
    const chunks: Buffer[] = [];

    const deadline = setTimeout(() => {
      expired = new Error(`no whole reply within ${withinMs} ms`);
      connection?.abort(expired);
      reject(expired);
    }, withinMs).unref();

    pool.dispatch(
      { ...request, method: request.method as Dispatcher.HttpMethod },
      {
        onRequestStart: (controller) => {
          connection = controller;
          // The deadline passed while the request waited for a connection, so it is not sent.
          if (expired) controller.abort(expired);
        },
        onResponseStart: (_controller, status, headers) => {
          head = { status, headers };
        },
        onResponseData: (_controller, chunk) => {
          chunks.push(chunk);
        },
        onResponseEnd: () => {
          clearTimeout(deadline);
          resolve({ ...head, text: utf8.decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)) });
        },
        onResponseError: (_controller, error) => {
          clearTimeout(deadline);
          reject(error);
        },
      },
    );
  });
