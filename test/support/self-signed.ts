// A server that speaks TLS with a certificate that no client trusts. The certificate is made here, so that the sources contain no
// private key.
import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A value of DER: its tag, its length and its content. */
function der(tag: number, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const length =
    body.length < 0x80
      ? Buffer.from([body.length])
      : Buffer.from([0x82, body.length >> 8, body.length & 0xff]);
  return Buffer.concat([Buffer.from([tag]), length, body]);
}

const sequence = (...content: Buffer[]): Buffer => der(0x30, ...content);
const ED25519 = sequence(der(0x06, Buffer.from([0x2b, 0x65, 0x70])));
const COMMON_NAME = der(0x06, Buffer.from([0x55, 0x04, 0x03]));

/** An X.509 certificate for a new key, signed by that key, in PEM. */
function selfSigned(): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from('localhost')))));
  const validity = sequence(
    ...['20260101000000Z', '20991231000000Z'].map((moment) => der(0x18, Buffer.from(moment))),
  );
  const subjectKey = publicKey.export({ type: 'spki', format: 'der' });
  const toSign = sequence(der(0x02, Buffer.from([1])), ED25519, name, validity, name, subjectKey);
  const signature = der(0x03, Buffer.from([0]), sign(null, toSign, privateKey));
  const base64 = sequence(toSign, ED25519, signature).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
  };
}

/** @returns the server's address, and how many requests arrived over connections that trusted it. */
export async function startUntrustedServer(): Promise<{
  url: string;
  requests: () => number;
  stop: () => Promise<void>;
}> {
  let requests = 0;
  const server = createServer(selfSigned(), (_request, response) => {
    requests += 1;
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
