// The options of a client.

export type Options = {
  /** The server's address, for example `https://api.example.com`. */
  baseUrl: string;
  /** The session token that the app kept from an earlier start. Signing in replaces it. */
  sessionToken?: string;
  /** Called whenever the token changes, so that the app can keep it. Null means that the session is over. */
  onSession?: (sessionToken: string | null) => void;
  /** Another implementation of fetch. */
  fetch?: (request: Request) => Promise<Response>;
  /** Makes an Idempotency-Key. React Native has no `crypto.randomUUID` and needs one, such as `expo-crypto`'s. */
  randomKey?: () => string;
  /** How long one try of a call may take, in milliseconds. The default is 15,000. */
  timeoutMs?: number;
  /** How often a call is tried if it gets no answer, or 429, 502, 503 or 504. The default is 3. */
  tries?: number;
};

/** @throws if the platform has no `crypto.randomUUID`: the app must then provide `randomKey`. */
export function randomUuid(): string {
  const { crypto } = globalThis;
  if (typeof crypto?.randomUUID !== 'function')
    throw new Error('This platform has no crypto.randomUUID: give the client a randomKey.');
  return crypto.randomUUID();
}
