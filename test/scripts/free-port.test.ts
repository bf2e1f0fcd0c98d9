import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { freePort } from '../../scripts/free-port.ts';

it('a free port can be listened on, and is none that an outgoing connection is given', async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, freePort));
  expect(ports.every((port) => port >= 20_000 && port < 32_000)).toBe(true);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(ports[0], resolve));
  expect(server.listening).toBe(true);
  server.close();
});
