// A raw client: any method, any header and any byte, and the answer as it was on the wire.
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { assertDeclared } from '../support/contract.ts';

export type RawResponse = { status: number; headers: [name: string, value: string][]; text: string };
type Where = { url: string };

type Content = { headers?: Record<string, string>; body?: string | Buffer };

/** Sends a request, and returns the headers as received, in order. An answer of the contract is validated against it. */
export async function ask(
  where: Where,
  method: string,
  path: string,
  content: Content = {},
): Promise<RawResponse> {
  const heard = await exchange(where, method, path, content);
  await assertDeclared(method, `${where.url}${path}`, asResponse(heard));
  return heard;
}

/** Sends a request. If a kept connection is closed in the moment in which it is used again, another one is used. */
export async function exchange(
  where: Where,
  method: string,
  path: string,
  said: Content,
): Promise<RawResponse> {
  const { hostname: host, port } = new URL(where.url);
  const sent = request({ host, port, method, path, headers: said.headers ?? {} });
  const answered = once(sent, 'response');
  // The service may close the connection with a body that it has refused, once it has answered.
  sent.on('error', () => undefined);
  sent.end(said.body);
  try {
    const [response] = (await answered) as [IncomingMessage];
    return await readResponse(response);
  } catch (error) {
    if (sent.reusedSocket && isClosing(error)) return exchange(where, method, path, said);
    throw error;
  }
}

const isClosing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['ECONNRESET', 'EPIPE'].includes(String(error.code));

async function readResponse(response: IncomingMessage): Promise<RawResponse> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const { rawHeaders: raw, statusCode: status = 0 } = response;
  const headers = raw.flatMap((name, at): [string, string][] =>
    at % 2 === 0 ? [[name, raw[at + 1] ?? '']] : [],
  );
  return { status, headers, text: Buffer.concat(chunks).toString() };
}

const asResponse = ({ status, headers, text }: RawResponse): Response =>
  new Response([204, 304].includes(status) ? null : text, { status, headers });

/** The answer without its date: everything else must be equal in two answers that are to be the same. */
export const withoutDate = ({ status, headers, text }: RawResponse): RawResponse => ({
  status,
  headers: headers.filter(([name]) => name.toLowerCase() !== 'date'),
  text,
});

export const codeIn = ({ status, text }: RawResponse): [number, unknown, ...string[]] => {
  const { code, details = [] } = JSON.parse(text) as { code?: string; details?: { path: string }[] };
  return [status, code, ...details.map(({ path }) => path)];
};

export function openSocket({ url }: Where): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Sends these bytes, and reads until the connection ends or `enough` is true for the received text. */
export async function say(
  where: Where,
  bytes: string | Buffer,
  enough: (heard: string) => boolean = () => false,
): Promise<string> {
  const socket = await openSocket(where);
  return new Promise((resolve) => {
    let heard = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      heard += chunk.toString('latin1');
      if (enough(heard)) socket.destroy();
    });
    socket.once('close', () => resolve(heard));
    socket.write(bytes);
  });
}
