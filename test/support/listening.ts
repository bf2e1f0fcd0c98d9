// Finds out who can reach a port of this machine. 127.0.0.1 is reachable for every process here; 127.0.0.2 only if the port is also
// open to other machines.
import { connect } from 'node:net';

/** If a machine's loopback has only one address, no server listens at this one. */
export const toOthers = '127.0.0.2';

export const isOpen = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, host);
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => socket.destroy());
    socket.on('connect', () => socket.destroy());
  });
