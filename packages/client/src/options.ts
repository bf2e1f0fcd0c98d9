// The options of a client, and those of one call.

export type Options = {
  /** The server's address, for example `https://api.example.com`. */
  baseUrl: string;
  /** The session token that the app kept from an earlier start. Signing in replaces it. */
  sessionToken?: string;
  /** Called whenever the token changes, so that the app can keep it. Null means that the session is over. */
  onSession?: (sessionToken: string | null) => void;
  /**
   * The languages that the user reads, as the header `Accept-Language` has them, for example `pt-BR`. Ponte's sentences, such as
   * `failureReason`, are in the one that it knows, or else in English. Without it, the platform's fetch decides: browsers and phones
   * send the user's languages.
   */
  language?: string;
  /** Another implementation of fetch. */
  fetch?: (request: Request) => Promise<Response>;
  /** Makes an Idempotency-Key. React Native has no `crypto.randomUUID` and needs one, such as `expo-crypto`'s. */
  randomKey?: () => string;
  /** How long one try of a call may take, in milliseconds. The default is 15,000. */
  timeoutMs?: number;
  /** Called before each try, for example to log it. An error that it throws is ignored: it must not hide the answer. */
  onRequest?: (request: RequestEvent) => void;
  /** Called after each try, answered or not. An error that it throws is ignored: it must not hide the answer. */
  onResponse?: (response: ResponseEvent) => void;
  /** How often a call is tried if it gets no answer, or 429, 502, 503 or 504. The default is 3. */
  tries?: number;
};

/** The options of one call. */
export type CallOptions = {
  /** Ends the call, which is then rejected with the signal's reason. The server may still execute the request. */
  signal?: AbortSignal;
  /** How long one try of this call may take, in milliseconds, instead of the client's `timeoutMs`. */
  timeoutMs?: number;
  /** Headers that are added to the request, for example `x-request-id` or `traceparent`. */
  headers?: Record<string, string>;
};

/** One try of a call. It has neither headers nor body, so that it can be logged. */
export type RequestEvent = {
  method: string;
  url: string;
  /** The number of the try, from 1. */
  attempt: number;
};

/** The end of one try. */
export type ResponseEvent = RequestEvent & {
  /** Null if no answer arrived. */
  status: number | null;
  /** The number that support asks for. Null if no answer arrived, or one that Ponte did not write. */
  requestId: string | null;
  durationMs: number;
};

/** @throws if the platform has no `crypto.randomUUID`: the app must then provide `randomKey`. */
export function randomUuid(): string {
  const { crypto } = globalThis;
  if (typeof crypto?.randomUUID !== 'function')
    throw new Error('This platform has no crypto.randomUUID: give the client a randomKey.');
  return crypto.randomUUID();
}
