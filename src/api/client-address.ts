// Tells from which address a request comes. Limits by address use it. A proxy's own address says nothing about the client, so for a peer
// of TRUSTED_PROXIES it is the address that the proxy forwards. Any other peer can write what it likes into X-Forwarded-For.
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

export type ClientAddresses = {
  isTrusted: (peer: string | undefined) => boolean;
  /** Returns the address of a request's client: an IPv4 address, or the first 64 bits of an IPv6 address. */
  of: (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string;
};

/**
 * @param trustedProxies CIDRs, such as `10.0.0.0/8`.
 * @param unlistedProxy called once, when a peer that is not listed sends X-Forwarded-For.
 */
export function createClientAddresses(
  trustedProxies: readonly string[],
  unlistedProxy: (peer: string) => void,
): ClientAddresses {
  const trusted = blockListOf(trustedProxies);
  let hasWarned = false;
  const isTrusted = (address: string | undefined): boolean => {
    const plain = withoutMapping(address ?? '');
    const family = isIP(plain);
    return family !== 0 && trusted.check(plain, family === 4 ? 'ipv4' : 'ipv6');
  };

  return {
    isTrusted,
    of: ({ headers, socket }) => {
      const peer = socket.remoteAddress ?? '';
      const forwarded = headers['x-forwarded-for'];
      if (forwarded === undefined) return networkOf(peer);
      if (isTrusted(peer)) {
        // Each proxy appends the address of its peer. Entries before the last untrusted one were written by anybody.
        const entries = String(forwarded).split(',');
        const client = entries.map((entry) => entry.trim()).findLast((entry) => !isTrusted(entry));
        return networkOf(client !== undefined && isIP(client) !== 0 ? client : peer);
      }
      if (!hasWarned) unlistedProxy(peer);
      hasWarned = true;
      return networkOf(peer);
    },
  };
}

/** @throws Error if an entry is not a CIDR. */
export function blockListOf(cidrs: readonly string[]): BlockList {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [address = '', bits = ''] = cidr.split('/');
    const family = isIP(address);
    if (family === 0 || !/^\d{1,3}$/.test(bits)) throw new Error(`${cidr} is not a CIDR`);
    list.addSubnet(address, Number(bits), family === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

/** Returns what one client cannot easily change: its IPv4 address, or the first 64 bits of its IPv6 address. */
export function networkOf(address: string): string {
  const plain = withoutMapping(address);
  if (isIP(plain) !== 6) return plain;
  const [head = '', tail] = plain.split('%', 1)[0]?.split('::') ?? [];
  const zeros = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array.from({ length: zeros }, () => '0'), ...groups(tail ?? '')];
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));

/** An IPv4 address that a dual-stack socket shows as IPv6. */
const withoutMapping = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');
