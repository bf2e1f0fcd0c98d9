// Classifies a URL: outside over TLS, this machine, or a host name known only in its own network.

/** Whether a user may be redirected there: to a page over TLS, or on their own machine. */
export const isSafeToOpen = (url: string): boolean =>
  URL.canParse(url) && (/^https:/i.test(url) || (/^http:/i.test(url) && isLoopback(url)));

/** Whether a URL leads to this machine. */
function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** Whether it leads to this machine, or to a host name without a domain, as the services of a compose file have. */
export const isLocal = (url: string): boolean =>
  isLoopback(url) || /^[a-z0-9_-]+$/i.test(new URL(url).hostname);
