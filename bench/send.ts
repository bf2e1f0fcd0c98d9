// One call through a pool of connections, which costs less than the typed client.
import type { Pool } from 'undici';

export type Answer<Body> = { status: number; body: Body; text: string };

/** @param json the body. Without it, the request has none. */
export async function send<Body = Record<string, unknown>>(
  pool: Pool,
  method: 'GET' | 'PATCH' | 'POST',
  path: string,
  headers: Record<string, string>,
  json?: unknown,
): Promise<Answer<Body>> {
  const response = await pool.request({
    method,
    path,
    headers: { ...headers, ...(json !== undefined && { 'content-type': 'application/json' }) },
    body: json === undefined ? null : JSON.stringify(json),
  });
  const text = await response.body.text();
  return { status: response.statusCode, body: JSON.parse(text) as Body, text };
}
