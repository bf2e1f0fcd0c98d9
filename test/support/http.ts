// A client that sends any request, well-formed or not, and validates every answer against the contract.
import { assertDeclared } from './contract.ts';
import { markPersonal, markToken } from './leak-watch.ts';

export type Said = {
  token?: string;
  json?: unknown;
  body?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
};
export type Answered = { status: number; headers: Headers; text: string; body: Record<string, unknown> };

export async function call(
  { url }: { url: string },
  method: string,
  path: string,
  { token, json, body, headers = {} }: Said = {},
): Promise<Answered> {
  markPersonal(json);
  if (token !== undefined) markToken(token);
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...((json !== undefined || body !== undefined) && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(json !== undefined ? { body: JSON.stringify(json) } : body !== undefined && { body }),
  });
  await assertDeclared(method, response.url, response);
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
  };
}

/** The status, the code and the faulty places of a refusal, as tests compare them. */
export const faultIn = ({ status, body }: Answered): [number, unknown, ...string[]] => [
  status,
  body['code'],
  ...((body['details'] as { path: string }[] | undefined) ?? []).map(({ path }) => path),
];
