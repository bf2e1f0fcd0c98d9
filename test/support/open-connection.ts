// A bare connection to the service, for tests that send bytes as no HTTP client would.
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export type OpenConnection = { socket: Socket; received: () => string; isClosed: () => boolean };

/** Opens a connection that is closed when the test ends. @param from an address of this machine. */
export function openConnection(url: string, from?: string): OpenConnection {
  const { hostname, port } = new URL(url);
  const socket = connect({
    port: Number(port),
    host: hostname,
    ...(from !== undefined && { localAddress: from }),
  });
  let [text, isClosed] = ['', false];
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  socket.once('close', () => {
    isClosed = true;
  });
  onTestFinished(() => void socket.destroy());
  return { socket, received: () => text, isClosed: () => isClosed };
}
