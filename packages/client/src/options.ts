// What an app may say when it makes a client.

export type Options = {
  /** Where the server is, for example `https://api.example.com`. */
  baseUrl: string;
  /** A session token that the app has kept; signing in replaces it. */
  sessionToken?: string;
  /** Called whenever the token changes, so that the app can keep it; null when the session is over. */
  onSession?: (sessionToken: string | null) => void;
  /** Another implementation of fetch. */
  fetch?: (request: Request) => Promise<Response>;
  /** Makes an Idempotency-Key; React Native before 0.79 has no `crypto.randomUUID`. */
  randomKey?: () => string;
  /** How long one try of a call may take, in milliseconds: 15,000. */
  timeoutMs?: number;
  /** How many times a call is tried that got no answer, or 429, 502, 503 or 504: 3. */
  tries?: number;
};

/** @throws where the platform has no randomness to make one from: then the app must bring `randomKey`. */
export function randomUuid(): string {
  const { crypto } = globalThis;
  if (typeof crypto?.randomUUID !== 'function')
    throw new Error('This platform has no crypto.randomUUID: give the client a randomKey.');
  return crypto.randomUUID();
}
