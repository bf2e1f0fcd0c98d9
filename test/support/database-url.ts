// A file of its own: those who only want a database's address do not load what starts a server.

/** The address of another database of the same server. */
export function withDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
