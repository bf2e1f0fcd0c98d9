// Signs calls with the user's password. While the provider changes it, two passwords are configured, and the provider accepts one of them.

type Credentials = { username: string; passwords: readonly string[] };

/**
 * Returns a function that sends a request with the password that was accepted last. After a 401, which created nothing, it sends the
 * request once more with the other password, and remembers that password unless it is also refused.
 * @param withinMs the time limit of both requests together.
 */
export function createCredentials({ username, passwords }: Credentials) {
  const headers = passwords.map(
    (password) => `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
  );
  let [accepted = ''] = headers;
  return async <Reply extends { status: number }>(
    withinMs: number,
    send: (authorization: string, withinMs: number) => Promise<Reply>,
  ): Promise<Reply> => {
    const begunMs = performance.now();
    const tried = accepted;
    const reply = await send(tried, withinMs);
    const other = headers.find((one) => one !== tried);
    if (reply.status !== 401 || other === undefined) return reply;
    const next = await send(other, Math.max(1, withinMs - (performance.now() - begunMs)));
    // A 5xx says nothing about the password.
    if (next.status !== 401 && next.status < 500) accepted = other;
    return next;
  };
}
