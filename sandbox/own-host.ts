// Decides whether a request is addressed to the sandbox. Another site can make its own name lead to this machine, and a browser
// would then let the site's pages read and use everything here (DNS rebinding).
import type { IncomingMessage } from 'node:http';

/** @param baseUrl the sandbox's public address. Ports may differ: a proxy or a container may map them. */
export function isForSandbox({ headers, socket }: IncomingMessage, baseUrl: string): boolean {
  const address = `http://${headers.host ?? ''}`;
  if (!URL.canParse(address)) return false;
  const { hostname } = new URL(address);
  const { localAddress = '' } = socket;
  const own = [new URL(baseUrl).hostname, localAddress.replace(/^::ffff:/, ''), `[${localAddress}]`];
  // No other site has a name without a dot. Containers call each other by such names.
  return own.includes(hostname) || isLoopback(hostname) || /^[a-z\d_-]+$/i.test(hostname);
}

const isLoopback = (hostname: string): boolean => /^(.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
