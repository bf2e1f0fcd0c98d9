// The addresses that a user may be sent to, and those that lead to this machine or into its own network.
// test/flows/verification-address.test.ts tries the hostile addresses over HTTP.
import { expect, test } from 'vitest';
import { isLocal, isSafeToOpen } from '../../src/domain/address.ts';

test.each([
  ['https://verify.example.com/x', true],
  ['http://localhost:4010/x', true],
  ['http://sandbox.localhost/x', true],
  ['http://127.0.0.1/x', true],
  ['http://127.10.20.30/x', true],
  ['http://[::1]:4010/x', true],
  ['not an address', false],
  ['https://verify.example.com/ x', false],
  ['https://verify.example.com/\u0007', false],
  ['https://verify.example.com\\x', false],
  ['https://word@verify.example.com/x', false],
  ['https://:word@verify.example.com/x', false],
  ['http://verify.example.com/x', false],
  ['http://localhost.example.com/x', false],
  ['http://notlocalhost/x', false],
  ['http://127.0.0.1.example.com/x', false],
  ['http://127.example.com/x', false],
  ['http://x127.0.0.1.nip.io/x', false],
  ['http://[::2]/x', false],
  ['ftp://localhost/x', false],
])('without a list of hosts, the address %j is safe to open: %j', (url, isSafe) => {
  expect(isSafeToOpen(url, [])).toBe(isSafe);
});

test.each([
  ['https://verify.example.com/x', true],
  ['https://verify.example.com:8443/x', true],
  ['https://verify.example.org/x', false],
  ['https://x.verify.example.com/x', false],
  ['http://verify.example.com/x', false],
  ['http://localhost/x', false],
])('with verify.example.com as the only host, the address %j is safe to open: %j', (url, isSafe) => {
  expect(isSafeToOpen(url, ['verify.example.com'])).toBe(isSafe);
});

test.each([
  ['http://localhost:3000', true],
  ['http://127.0.0.1', true],
  ['http://ponte', true],
  ['http://PONTE_api-1:3000', true],
  ['http://ponte.example', false],
  ['http://10.0.0.1', false],
  ['http://[::2]', false],
])('the address %j leads to this machine or to a host name without a domain: %j', (url, isHere) => {
  expect(isLocal(url)).toBe(isHere);
});
