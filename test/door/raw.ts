// A client without manners: any method, any header and any byte, and the answer as it came over the wire.
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { assertPromised } from '../support/contract.ts';

export type Heard = { status: number; headers: [name: string, value: string][]; text: string };
type Where = { url: string };

/** Headers as they came, in their order. Where it belongs to the contract, the answer is held to it. */
export async function ask(
  { url }: Where,
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: string | Buffer } = {},
): Promise<Heard> {
  const address = new URL(url);
  const heard = await new Promise<Heard>((resolve, reject) => {
    const asked = request(
      { host: address.hostname, port: address.port, method, path, headers },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const { rawHeaders: raw } = response;
          resolve({
            status: response.statusCode ?? 0,
            headers: raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? '']] : [])),
            text: Buffer.concat(chunks).toString(),
          });
        });
      },
    );
    asked.on('error', reject);
    asked.end(body);
  });
  await assertPromised(method, `${url}${path}`, asResponse(heard));
  return heard;
}

const asResponse = ({ status, headers, text }: Heard): Response =>
  new Response([204, 304].includes(status) ? null : text, { status, headers });

/** Names and values that may differ between two answers that are to be the same: only the time they were given. */
export const withoutDate = ({ status, headers, text }: Heard): Heard => ({
  status,
  headers: headers.filter(([name]) => name.toLowerCase() !== 'date'),
  text,
});

export const codeIn = ({ status, text }: Heard): [number, unknown, ...string[]] => {
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

/** Says these bytes, and hears everything until the connection ends, or `enough` has been heard. */
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
