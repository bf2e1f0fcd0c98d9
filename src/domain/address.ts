// Classifies URLs: safe for a user to open, on this machine, or a host name without a domain.

/**
 * Returns whether a user may be redirected to a URL: to a page over TLS, or to their own machine. A user name in the URL
 * is refused, because it can be made to look like another host. White space and backslashes are refused, because
 * programs read them differently.
 * @param hosts the only allowed hosts; if empty, any host is allowed.
 */
export function isSafeToOpen(url: string, hosts: readonly string[]): boolean {
  if (!URL.canParse(url) || /[\p{Cc}\s\\]/u.test(url)) return false;
  const { protocol, hostname, username, password } = new URL(url);
  if (username !== '' || password !== '') return false;
  if (hosts.length > 0 && !hosts.includes(hostname)) return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(url));
}

export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** Returns whether a URL leads to this machine or to a host name without a domain, such as a service of a compose file. */
export const isLocal = (url: string): boolean =>
  isLoopback(url) || /^[a-z0-9_-]+$/i.test(new URL(url).hostname);
