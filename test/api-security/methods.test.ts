// Every path of the contract is tried with every method. Declared methods are answered, and all others get 405.
import { METHODS } from 'node:http';
import { beforeAll, expect, test } from 'vitest';
import { type Person, signUp } from '../support/person.ts';
import { useWorld } from '../support/use-world.ts';
import { methodsOf, pathsOfContract } from './contract.ts';
import { codeIn, type RawResponse, say, withoutDate } from './raw.ts';
import { sendTo } from './send-to.ts';

let ada: Person;

const { world } = useWorld();
beforeAll(async () => {
  ada = await signUp(world);
});

// CONNECT is tried in another way, below.
const methods = METHODS.filter((method) => method !== 'CONNECT');
/** The methods of a path. A path with a parameter may match it as well: `DELETE /pix/recipients/lookup` has the id `lookup`. */
const allowedOn = (path: string): string[] => {
  const matching = pathsOfContract.filter((one) => path.match(`^${one.replaceAll(/\{\w+\}/g, '[^/]+')}$`));
  const declared = [path, ...matching.filter((one) => one !== path)].flatMap(methodsOf);
  return [...declared, ...(declared.includes('GET') ? ['HEAD'] : [])].toSorted();
};
const byAda = () => ({ authorization: `Bearer ${ada.token}` });
/** An answer to HEAD shows only its status. */
const refusalIn = (method: string, answer: RawResponse) =>
  method === 'HEAD' ? [answer.status] : codeIn(answer);

test.each(pathsOfContract)('%s refuses every method that is not its own', async (path) => {
  const allowed = allowedOn(path);
  const others = methods.filter((method) => !allowed.includes(method));
  expect(others.length).toBeGreaterThan(25);
  for (const method of others) {
    const answer = await sendTo(world, { method, path }, byAda());
    const refusal = method === 'HEAD' ? [405] : [405, 'method_not_allowed', '/method'];
    expect([method, ...refusalIn(method, answer)]).toEqual([method, ...refusal]);
    const [, allow = ''] = answer.headers.find(([name]) => name === 'Allow') ?? [];
    expect(allow.split(', ').toSorted()).toEqual(allowed);
  }
});

test.each(pathsOfContract)('%s answers each method that is its own', async (path) => {
  for (const method of methodsOf(path)) {
    const { status } = await sendTo(world, { method, path }, {});
    expect([method, status]).not.toEqual([method, 405]);
  }
});

const readable = pathsOfContract.filter((path) => methodsOf(path).includes('GET'));
const bare = (answer: RawResponse): RawResponse => ({ ...withoutDate(answer), text: '' });

test.each(readable)('%s answers HEAD as GET, without the body', async (path) => {
  const get = await sendTo(world, { method: 'GET', path }, byAda());
  const head = await sendTo(world, { method: 'HEAD', path }, byAda());
  expect(head.text).toBe('');
  expect(bare(head)).toEqual(bare(get));
});

test.each(['get', 'BREW', 'G\u00c8T', '__proto__', ''])(
  '%j is not a method and is answered with 400',
  async (method) => {
    const answer = await say(world, Buffer.from(`${method} /me HTTP/1.1\r\nhost: x\r\n\r\n`, 'latin1'));
    expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*"code":"invalid_request"/);
  },
);

test('a CONNECT request is disconnected', async () => {
  expect(await say(world, 'CONNECT /me HTTP/1.1\r\nhost: x\r\n\r\n')).toBe('');
});
