// Classifies a URL: outside over TLS, this machine, or a host name known only in its own network.

/**
 * Whether a user may be redirected there: to a page over TLS, or on their own machine. A name before the host would make it
 * look like another one, and programs read white space and backslashes differently.
 * @param hosts the only ones that are allowed; none: any.
 */
export function isSafeToOpen(url: string, hosts: readonly string[]): boolean {
  if (!URL.canParse(url) || /[\p{Cc}\s\\]/u.test(url)) return false;
  const { protocol, hostname, username, password } = new URL(url);
  if (username !== '' || password !== '') return false;
  if (hosts.length > 0 && !hosts.includes(hostname)) return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(url));
}

/** Whether a URL leads to this machine. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** Whether it leads to this machine, or to a host name without a domain, as the services of a compose file have. */
export const isLocal = (url: string): boolean =>
  isLoopback(url) || /^[a-z0-9_-]+$/i.test(new URL(url).hostname);
