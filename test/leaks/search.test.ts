// The search for leaks at the end of every test: it finds a value in each form, and nothing that only resembles a value.
import { expect, test } from 'vitest';
import { leaksIn } from '../support/leaks.ts';

const name = { what: 'a name', value: 'João da Silva' };
const cpf = { what: 'a PIX key', value: '52998224725' };
const account = { what: 'an account number', value: '31926819' };
const email = { what: 'an e-mail address', value: 'ada+1@example.com' };
const secret = { what: 'a secret', value: 'kN3-x_9aV0hQz7-RmTe5uYp1' };
const marks = [name, cpf, account, email, secret];

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const found = (text: string, where = 'the log') =>
  leaksIn([{ where, text }], marks).map(({ value, form }) => [value, form]);

test.each([
  ['verbatim', `{"msg":"${cpf.value}"}`, cpf, 'verbatim'],
  ['at the beginning', `${account.value} is it`, account, 'verbatim'],
  ['at the end', `it is ${account.value}`, account, 'verbatim'],
  ['in capitals', 'ADA+1@EXAMPLE.COM', email, 'verbatim'],
  ['within a word, when it is long', `x${secret.value}y`, secret, 'verbatim'],
  ['in an address', `/x?q=${encodeURIComponent(name.value)}`, name, 'in an address'],
  ['in a form', String(new URLSearchParams({ name: name.value })), name, 'in a form'],
  ['in hex', `\\x00${Buffer.from(email.value).toString('hex')}ff`, email, 'in hex'],
  ['in base64', base64(account.value), account, 'in base64'],
  ['in base64, one byte on', base64(`:${account.value}`), account, 'in base64'],
  ['in base64, two bytes on', base64(`a:${account.value}:b`), account, 'in base64'],
  ['in base64url', Buffer.from(`{"n":"${name.value}"}`).toString('base64url'), name, 'in base64'],
])('a leaked value is found %s', (_how, text, { value }, form) => {
  expect(found(text)).toEqual([[value, form]]);
});

test('a leaked value is found once at each place, whatever else is found', () => {
  const captured = [
    { where: 'the log', text: `${cpf.value} and ${cpf.value}` },
    { where: 'users.note', text: `${cpf.value}, ${account.value}` },
  ];
  expect(leaksIn(captured, marks).map(({ where, value }) => [where, value])).toEqual([
    ['the log', cpf.value],
    ['users.note', cpf.value],
    ['users.note', account.value],
  ]);
});

test.each([
  ['a number that holds its digits', `0${account.value}, ${account.value}7`],
  ['an id that begins with its digits', `${account.value}-0a1b-4c3d-9c55-0a1b2c3d4e5f`],
  ['a hash that holds its digits', `a${cpf.value}f`],
  ['what is masked', '***.982.247-**, ****6819'],
  ['one letter less', name.value.slice(1)],
  ['nothing', ''],
])('a text without a leak is not reported: %s', (_what, text) => {
  expect(found(text)).toEqual([]);
});

test('only a name may be in the column of display names, and only there', () => {
  expect(found(name.value, 'users.display_name')).toEqual([]);
  expect(found(name.value, 'users.auth_subject')).toHaveLength(1);
  expect(found(email.value, 'users.display_name')).toHaveLength(1);
});
