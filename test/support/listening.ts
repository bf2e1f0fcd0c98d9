// Who can reach a port of this machine: by 127.0.0.1, every process here; by 127.0.0.2, only where it is open to others
// as well.
import { connect } from 'node:net';

/** On machines whose loopback is one address alone, nothing listens at the other one. */
export const toOthers = '127.0.0.2';

/** Whether something answers a connection there. */
export const isOpen = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, host);
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => socket.destroy());
    socket.on('connect', () => socket.destroy());
  });
