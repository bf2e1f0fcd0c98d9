// One request and its whole reply as text, over a pool of kept-alive connections. undici's own `request` makes a stream of
// each reply and listens to a signal for its deadline, which costs more than everything else about a short reply.
import type { Dispatcher } from 'undici';

type HttpRequest = { method: string; path: string; headers: Record<string, string>; body: string | null };
type HttpReply = { status: number; headers: Record<string, string | string[] | undefined>; text: string };

const utf8 = new TextDecoder();

/**
 * @param withinMs the deadline of the whole exchange: a reply that drips a byte at a time does not escape it.
 * @throws what undici reports, or an error at the deadline; whether the request was carried out is then unknown.
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
          // It waited for its connection for too long, and is not sent any more.
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
