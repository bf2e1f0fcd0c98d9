// A collector of OpenTelemetry that keeps the spans which it receives over OTLP/HTTP.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { capture } from './leak-watch.ts';

export type ReceivedSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
  links?: { traceId: string; spanId: string }[];
};

export type Collector = {
  url: string;
  spans: () => ReceivedSpan[];
  exports: () => number;
  /** Answers each further export with this status. Null: it is not answered. */
  answer: (status: number | null) => void;
  close: () => Promise<void>;
};

type Export = { resourceSpans: { scopeSpans: { spans: ReceivedSpan[] }[] }[] };

/** Every span that it receives is searched for personal values. */
export async function startCollector(): Promise<Collector> {
  const received: ReceivedSpan[] = [];
  let exports = 0;
  let status: number | null = 200;
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    capture('the spans', text);
    const { resourceSpans } = JSON.parse(text) as Export;
    received.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)));
    exports += 1;
    if (status === null) return;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end('{}');
  };
  const server = createServer((request, response) => {
    receive(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => received,
    exports: () => exports,
    answer: (next) => {
      status = next;
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Returns each span of a trace as the names of the spans from its root down to it. */
export function pathsOf(spans: ReceivedSpan[]): string[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const pathOf = ({ name, parentSpanId }: ReceivedSpan): string => {
    const parent = byId.get(parentSpanId ?? '');
    return parent === undefined ? name : `${pathOf(parent)} > ${name}`;
  };
  return spans.map(pathOf);
}
