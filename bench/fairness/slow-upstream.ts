// The sandbox behind an address at which calls take as long as a real provider may need.
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request as send } from 'undici';
import { startHttpServer } from '../../harness/http-server.ts';

export type SlowUpstream = {
  url: string;
  /** Makes quotes and all other calls take this much longer from now on, in milliseconds. */
  slowDown: (quoteMs: number, otherMs?: number) => void;
  close: () => Promise<void>;
};

export async function startSlowUpstream(sandboxUrl: string): Promise<SlowUpstream> {
  const agent = new Agent();
  let delays = { quoteMs: 0, otherMs: 0 };
  const server = await startHttpServer(async (request, response) => {
    const { method = 'GET', url = '/', headers } = request;
    const body = await buffer(request);
    const delayMs = url === '/v1/quotes/' ? delays.quoteMs : delays.otherMs;
    if (delayMs > 0) await pause(delayMs);
    const { 'content-length': _length, host: _host, ...rest } = headers;
    const reply = await send(sandboxUrl + url, {
      method,
      headers: rest,
      body: body.length > 0 ? body : null,
      dispatcher: agent,
    });
    const text = await reply.body.text();
    response.writeHead(reply.statusCode, { 'content-type': 'application/json' }).end(text);
  });
  return {
    url: server.url,
    slowDown: (quoteMs, otherMs = 0) => {
      delays = { quoteMs, otherMs };
    },
    close: async () => {
      await server.stop();
      await agent.destroy();
    },
  };
}
