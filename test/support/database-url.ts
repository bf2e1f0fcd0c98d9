// This is a separate file, so that code that only needs a database's address does not load the code that starts a server.

export function withDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
