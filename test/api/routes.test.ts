// The contract and the service side by side: what is declared is served, nothing else is, and every door is locked.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../support/contract.ts';
import { call, faultIn } from '../support/http.ts';
import { type Person, signUp } from '../support/person.ts';
import { startWorld, type World } from '../support/world.ts';

let world: World;
let ada: Person;

beforeAll(async () => {
  world = await startWorld();
  ada = await signUp(world);
});
afterAll(() => world.stop());

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const paths = [...new Set(operations.map(({ path }) => path))];
const filled = (path: string): string =>
  path.replace('{secret}', world.webhookSecret).replace('{id}', randomUUID());
const methodsOf = (path: string): string[] =>
  operations.filter((operation) => operation.path === path).map(({ method }) => method);

describe.each(paths)('%s', (path) => {
  it.each(METHODS)('answers to %s exactly where that is declared', async (method) => {
    const answer = await call(world, method, filled(path));
    const isDeclared = methodsOf(path).includes(method);
    expect(answer.status === 405).toBe(!isDeclared);
    expect(answer.status).not.toBe(500);
    if (isDeclared) return;
    expect(answer.body['code']).toBe('method_not_allowed');
    const allowed = (answer.headers.get('allow') ?? '').split(', ').filter((name) => name !== 'HEAD');
    expect(allowed.toSorted()).toEqual(methodsOf(path).toSorted());
  });

  it('answers HEAD as it answers GET, without the body, and OPTIONS with what it allows', async () => {
    const get = await call(world, 'GET', filled(path), { token: ada.token });
    const head = await call(world, 'HEAD', filled(path), { token: ada.token });
    expect([head.status, head.text]).toEqual([get.status, '']);
    const options = await call(world, 'OPTIONS', filled(path));
    expect(options.status).toBe(405);
    expect(options.headers.get('allow')).toContain(methodsOf(path)[0]);
  });
});

describe('every operation', () => {
  const locked = operations.filter(({ isOpen }) => !isOpen);
  const ownBodies = operations.filter(({ takesBody, path }) => takesBody && !path.startsWith('/webhooks'));

  it.each(locked)('$operationId refuses who has no session', async ({ method, path, takesBody }) => {
    const answer = await call(world, method, filled(path), takesBody ? { json: { amount: 'nothing' } } : {});
    expect(faultIn(answer)).toEqual([401, 'unauthorized']);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  it.each(operations)('$operationId refuses a parameter that it does not know', async (operation) => {
    const { method, path, takesBody } = operation;
    const json = takesBody ? { json: {} } : {};
    const answer = await call(world, method, `${filled(path)}?surprise=1`, { token: ada.token, ...json });
    expect(answer.status).toBe(400);
    expect(faultIn(answer)).toContain('/query/surprise');
  });

  it.each(ownBodies)('$operationId refuses a property that it does not know', async ({ method, path }) => {
    const answer = await call(world, method, filled(path), { token: ada.token, json: { surprise: 1 } });
    expect(faultIn(answer).slice(0, 2)).toEqual([400, 'invalid_request']);
  });
});

describe('addresses that do not exist', () => {
  it.each(['/', '/nowhere', '/mee', '/me/', '//me', '/me/..', '/transactions/a/b', '/.env', '/__proto__'])(
    '%s',
    async (path) => {
      const answer = await call(world, 'GET', path);
      // A slash at the end is forgiven; everything else is nowhere.
      expect(answer.status).toBe(path === '/me/' ? 401 : 404);
    },
  );

  it('are nowhere whatever is sent to them', async () => {
    const answer = await call(world, 'POST', '/nowhere', { body: '{"broken' });
    expect(faultIn(answer)).toEqual([404, 'not_found']);
  });

  it('says the same to a webhook whose secret is wrong', async () => {
    const headers = { 'x-request-id': 'same' };
    const wrong = await call(world, 'POST', '/webhooks/provider/wrong', { json: { event: 'x' }, headers });
    const nowhere = await call(world, 'POST', '/nowhere', { json: { event: 'x' }, headers });
    expect(wrong.text).toBe(nowhere.text);
  });
});
