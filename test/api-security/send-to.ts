// Sends a request to an operation of the contract, at a valid address.
import type { World } from '../support/world.ts';
import type { Operation } from './contract.ts';
import { ask, type RawResponse } from './raw.ts';

/** An id that no row has. */
export const someId = '0198c2f5-0c6f-7b8e-8f21-5e0b7a1d9c46';

export type RequestParts = {
  query?: string;
  authorization?: string | undefined;
  body?: string | Buffer | undefined;
  headers?: Record<string, string>;
};

/**
 * Fills in the parameters of a path.
 * @throws for a path parameter without a known valid value.
 */
export function filled({ webhookSecret }: World, path: string, id = someId): string {
  return path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    if (name === 'secret') return webhookSecret;
    if (/^id$|Id$/.test(name)) return id;
    throw new Error(`no valid value is known for {${name}} in ${path}`);
  });
}

export const sendTo = (
  world: World,
  { method, path }: Pick<Operation, 'method' | 'path'>,
  { query = '', authorization, body, headers = {} }: RequestParts,
): Promise<RawResponse> =>
  ask(world, method, `${filled(world, path)}${query}`, {
    headers: {
      'x-request-id': 'the-same',
      ...(authorization !== undefined && { authorization }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      // The length is given for every method, because Node.js otherwise sends no body with some of them. Chunked bodies have
      // none.
      ...(body !== undefined &&
        headers['transfer-encoding'] === undefined && { 'content-length': String(Buffer.byteLength(body)) }),
      ...headers,
    },
    ...(body !== undefined && { body }),
  });

export const exampleFor = ({ forms: [form] }: Operation): { body?: string } =>
  form ? { body: JSON.stringify(form.example) } : {};
