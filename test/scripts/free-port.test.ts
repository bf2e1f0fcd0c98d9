import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { freePort } from '../../harness/processes/free-port.ts';

test('a free port can be listened on, and is outside the range of outgoing connections', async () => {
  const port = await freePort();
  expect(port).toBeGreaterThanOrEqual(20_000);
  expect(port).toBeLessThan(32_000);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, resolve));
  expect(server.listening).toBe(true);
  server.close();
});

test('a folder that cannot be written is reported as such', async () => {
  await expect(freePort('/proc')).rejects.not.toThrow('no free port');
});

test('a port is given once, even to processes that ask at the same time', async () => {
  const program = `import { freePort } from './harness/processes/free-port.ts';
    const ports = [];
    for (let n = 0; n < 200; n += 1) ports.push(await freePort());
    console.log(JSON.stringify(ports));`;
  const ask = async () =>
    JSON.parse(
      execFileSync(process.execPath, ['--input-type=module-typescript', '-e', program]).toString(),
    ) as number[];
  const ours = Promise.all(Array.from({ length: 200 }, () => freePort()));
  const ports = [...(await ask()), ...(await ours)];
  expect(new Set(ports).size).toBe(400);
});
