// Where an address leads: outside over TLS, to this machine, or to one that only its own network knows by name.

/** Whether somebody may be sent there: to a page over TLS, or on their own machine. */
export const isSafeToOpen = (url: string): boolean =>
  URL.canParse(url) && (/^https:/i.test(url) || (/^http:/i.test(url) && isLoopback(url)));

/** Whether a URL leads to this machine. */
function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** Whether it does, or names a machine without a domain, as the services of a compose file do one another. */
export const isLocal = (url: string): boolean =>
  isLoopback(url) || /^[a-z0-9_-]+$/i.test(new URL(url).hostname);
