// The collection for Postman and Bruno: the test sends its first steps one after the other with its variables, as such a tool does.
import { randomUUID } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { beforeAll, expect, test } from 'vitest';
import collection from '../../openapi/generated/ponte.postman_collection.json' with { type: 'json' };
import { operations } from '../support/contract.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';

type Item = {
  name: string;
  event?: { script: { exec: string[] } };
  request: {
    method: string;
    auth?: { type: string };
    header: { key: string; value: string }[];
    body?: { raw: string };
    url: { raw: string };
  };
};

const variables = new Map<string, string>();
const { world } = useWorld();
beforeAll(async () => {
  variables.set('baseUrl', world.url).set('sandboxUrl', world.sandboxUrl);
});

const filled = (text: string): string =>
  text.replace(/\{\{(.+?)\}\}/g, (_all, name: string) =>
    name === '$guid' ? randomUUID() : (variables.get(name) ?? expect.fail(`${name} has no value`)),
  );

async function send({ request, event }: Item): Promise<{ status: number; text: string }> {
  const headers = new Headers(request.header.map(({ key, value }) => [key, filled(value)]));
  if (request.auth?.type !== 'noauth') headers.set('authorization', filled('Bearer {{sessionToken}}'));
  const body = request.body && filled(request.body.raw);
  const response = await fetch(filled(request.url.raw), {
    method: request.method,
    headers,
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  const pm = { response: { json: () => JSON.parse(text) as unknown }, collectionVariables: variables };
  for (const { script } of (event ? [event].flat() : []) as { script: { exec: string[] } }[])
    runInNewContext(script.exec.join('\n'), { pm });
  return { status: response.status, text };
}

test('the first steps of the collection lead to a payment', async () => {
  const [firstSteps] = collection.item;
  const answers: [string, number][] = [];
  for (const item of (firstSteps?.item ?? []) as unknown as Item[]) {
    // A person waits here: until the account is open, and until the deposit arrives.
    const isDone = (text: string): boolean =>
      (item.name !== 'Get the data of the home screen' || variables.has('accountNumber')) &&
      (item.name !== 'Confirm a payment' || !text.includes('insufficient_funds'));
    const { status } = await until(
      () => send(item),
      ({ text }) => isDone(text),
    );
    answers.push([item.name, status]);
  }
  expect(answers.filter(([, status]) => status >= 300)).toEqual([]);
  expect(answers.length).toBe(12);
});

test('the collection has every operation of the contract except the callback', () => {
  const requests = collection.item.slice(1).flatMap(({ item }): object[] => item);
  // The collection leaves out the provider's callback and adds three calls of the sandbox.
  expect(requests.length).toBe(operations.length - 1 + 3);
  expect(JSON.stringify(requests)).not.toContain('webhooks');
});
