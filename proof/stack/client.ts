// The network client of a mobile app: every request has a time-out, and a request without a usable answer is repeated at the next
// instance until there is one.
import { setTimeout as pause } from 'node:timers/promises';
import type { ClientAnswer } from '../audit/evidence.ts';
import type { Random } from '../random.ts';
import type { Counts } from './counts.ts';
import type { Journal } from './journal.ts';

const PATIENCE_MS = 4_000;
/** How long a request is repeated without a usable answer. */
export const GIVE_UP_MS = 180_000;

export type Answer = {
  status: number;
  body: Record<string, unknown>;
  code?: string;
  /** Every try of the request. The last one brought this answer. */
  tries: ClientAnswer[];
};
export type Request = {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  json?: object;
  headers?: Record<string, string>;
  /** The user goes on without an answer, so an error is an answer as well. */
  isOptional?: boolean;
};

type ClientOptions = {
  token?: string;
  random: Random;
  counts: Counts;
  shown?: { journal: Journal; userId: string };
};

export type Client = {
  /**
   * Sends the request until there is a usable answer.
   * @throws if there is none within three minutes.
   */
  ask: (request: Request) => Promise<Answer>;
  /** Sends `copies` of the same request concurrently, each to a different first instance. */
  askConcurrently: (copies: number, request: Request) => Promise<Answer[]>;
};

export function createClient(urls: string[], { token, random, counts, shown }: ClientOptions): Client {
  const askFrom = async (first: number, request: Request): Promise<Answer> => {
    const begun = Date.now();
    const tries: ClientAnswer[] = [];
    for (let attempt = 0; ; attempt += 1) {
      const sentAt = Date.now();
      const answer = await once(urls[(first + attempt) % urls.length] ?? '', request, token);
      const answeredAt = Date.now();
      const { status = null, body, code } = answer ?? {};
      tries.push({ sentAt, answeredAt, status, ...(code !== undefined && { code }) });
      if (status !== null && status < 300) {
        const { method, path } = request;
        shown?.journal.write({ userId: shown.userId, method, path, sentAt, answeredAt, body });
      }
      if (answer && isUsable(request, answer.status)) return { ...answer, tries };
      counts.repeats += 1;
      if (Date.now() - begun > GIVE_UP_MS)
        throw new Error(
          `no answer to ${request.method} ${request.path}, last ${answer?.status ?? 'nothing'}`,
        );
      await pause(Math.min(1_500, 100 * 2 ** attempt) * (0.5 + Math.random()));
    }
  };
  return {
    ask: (request) => askFrom(random.between(0, urls.length - 1), request),
    askConcurrently: (copies, request) => {
      if (copies > 1) counts.doubles += 1;
      return Promise.all(Array.from({ length: copies }, (_, index) => askFrom(index, request)));
    },
  };
}

/**
 * A sign-in is repeated on 401: an instance whose clock is behind refuses a token, because it was issued in that instance's future.
 */
const isUsable = ({ path, isOptional = false }: Request, status: number): boolean =>
  isOptional ||
  (status < 500 && status !== 408 && status !== 429 && !(path === '/auth/session' && status === 401));

/** The `fetch` of the typed client: each of its calls is one `ask`, which never returns a 5xx. */
export async function fetchThrough({ ask }: Client, request: globalThis.Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const text = await request.text();
  const { status, body } = await ask({
    method: request.method as Request['method'],
    path: pathname + search,
    ...(text !== '' && { json: JSON.parse(text) as object }),
  });
  return Response.json(body, { status });
}

/** @returns null if no readable answer arrived: then the outcome is unknown. */
async function once(
  url: string,
  { method, path, json, headers }: Request,
  token: string | undefined,
): Promise<Omit<Answer, 'tries'> | null> {
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(json && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(json && { body: JSON.stringify(json) }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const body = (await response.json()) as Record<string, unknown>;
    const { code } = body;
    return { status: response.status, body, ...(typeof code === 'string' && { code }) };
  } catch {
    return null;
  }
}
