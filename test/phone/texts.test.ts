// Every sentence of the phone is translated: the screens show only sentences of `t`, and the table has no others.
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { portuguese } from '../../phone/app/texts/portuguese.ts';
import { sourcesIn } from '../support/sources.ts';

/** Attributes of elements and components whose value a person reads or hears. */
const SPOKEN = /\s(title|label|hint|placeholder|aria-label|what|all|alt)="([^"]*)"/g;

/** Names, which are the same in every language, and texts that no person reads. */
const UNTRANSLATED =
  /^(Ponte|Ada Silva|CPF|CNPJ|IBAN|BIC|R\$|field large|strong struck|\w+Error|this browser .*)$/;

/** Line drawings, and the end of a PIX code. */
const CODE = /^M\d|^5913Fulano/;

const modules = sourcesIn('phone/app')
  .filter(({ file }) => !file.startsWith('phone/app/texts/'))
  .map(({ file }) => ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true));

test('the screens show no text that does not come from t', () => {
  expect(modules.flatMap((module) => untranslatedIn(module))).toEqual([]);
});

test.each([
  ['html`<p>Pay</p>`', ['Pay']],
  ['html`<p>${name} gets</p>`', ['gets']],
  ['html`<${Screen} title="Pay" back="#/" />`', ['Pay']],
  ['html`<${Button} onPress=${() => pay()}>Pay<//>`', ['Pay']],
  ['html`<${Screen} title=${isRefused ? "Not sent" : title} />`', ['Not sent']],
  ['html`<p class="soft">${t("Pay")}</p>`', []],
  ['html`<p>${isDone ? "copied" : ""}</p>`', ['copied']],
  ['html`<p class=${isDone ? "good" : "bad"}>${isDone && (count ?? "none")}</p>`', ['none']],
  ['const tab = { label: "Home" }', ['Home']],
  ['const tab = { label: t(isOpen ? "Home" : "Account") }', []],
  ['const text = `Hello, ${name}`', ['Hello,']],
  ['const path = `/payments/${id}`', []],
])('in %s, %j does not come from t', (source, texts) => {
  const module = ts.createSourceFile('a.ts', source, ts.ScriptTarget.Latest, true);
  expect(untranslatedIn(module)).toEqual(texts.map((text) => `a.ts: ${text}`));
});

test('the table has only sentences that the phone shows', () => {
  const client = readFileSync('packages/client/src/br-code.ts', 'utf8');
  const faults = [...client.matchAll(/InvalidBrCode\('([^']+)'\)/g)].map(([, fault = '']) => fault);
  expect(faults.length).toBeGreaterThan(5);
  const shown = [...modules.flatMap(translatedIn), ...faults];
  expect(Object.keys(portuguese).toSorted()).toEqual([...new Set(shown)].toSorted());
});

test('a translation has the values of its sentence', () => {
  const others = Object.entries(portuguese).filter(
    ([sentence, translation]) => namesIn(sentence).join() !== namesIn(translation).join(),
  );
  expect(others).toEqual([]);
});

test('a translation ends as its sentence does, so that a sentence is not translated by a fragment', () => {
  const others = Object.entries(portuguese).filter(
    ([sentence, translation]) => endOf(sentence) !== endOf(translation),
  );
  expect(others).toEqual([]);
});

const namesIn = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).toSorted();

const endOf = (text: string): string => /[.?:…]$/.exec(text)?.[0] ?? '';

const isHtml = (node: ts.Node): node is ts.TaggedTemplateExpression =>
  ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'html';

const isT = (node: ts.Node): node is ts.CallExpression =>
  ts.isCallExpression(node) && node.expression.getText() === 't';

/** The literal parts of a template. Its values stand between them. */
const piecesOf = (template: ts.TemplateLiteral): string[] =>
  ts.isNoSubstitutionTemplateLiteral(template)
    ? [template.text]
    : [template.head.text, ...template.templateSpans.map(({ literal }) => literal.text)];

const hasWords = (text: string): boolean => /\p{L}/u.test(text) && !UNTRANSLATED.test(text);

/** Whether a person would read a text as words: it begins with a capital letter, or has two words. */
const isSentence = (text: string): boolean =>
  /^\p{Lu}.*\p{Ll}|\p{Ll} \p{Ll}/u.test(text) && hasWords(text) && !CODE.test(text);

function untranslatedIn(module: ts.SourceFile): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (isT(node)) return node.arguments.slice(1).forEach(visit);
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return;
    if (isHtml(node)) {
      found.push(...shownBy(node.template));
      valuesOf(node.template).forEach(visit);
      return;
    }
    if (ts.isStringLiteral(node) && isSentence(node.text)) found.push(node.text);
    if (ts.isTemplateExpression(node))
      found.push(
        ...piecesOf(node)
          .map((piece) => piece.trim())
          .filter((piece) => isSentence(piece)),
      );
    ts.forEachChild(node, visit);
  };
  visit(module);
  return [...new Set(found)].map((text) => `${module.fileName.replace(/^.*phone\/app\//, '')}: ${text}`);
}

/** Returns the words between the tags of a template, and those of its spoken attributes. */
function shownBy(template: ts.TemplateLiteral): string[] {
  // A value in a tag is replaced by a mark, so that a `>` in it does not end the tag.
  const markup = piecesOf(template).join('\u0000');
  const spoken = [...markup.matchAll(SPOKEN)].map(([, , value = '']) => value);
  const between = markup
    .replaceAll(/<code>[\w@.]+<\/code>/g, '')
    .replaceAll(/<[^>]*>/g, '\u0000')
    .split('\u0000')
    .map((text) => text.trim());
  return [...between, ...spoken, ...valuesBetweenTags(template).flatMap(choicesIn)].filter(hasWords);
}

const valuesOf = (template: ts.TemplateLiteral): ts.Expression[] =>
  ts.isTemplateExpression(template) ? template.templateSpans.map(({ expression }) => expression) : [];

function valuesBetweenTags(template: ts.TemplateLiteral): ts.Expression[] {
  const pieces = piecesOf(template);
  return valuesOf(template).filter((_value, at) => {
    const before = pieces.slice(0, at + 1).join('');
    return before.lastIndexOf('>') >= before.lastIndexOf('<');
  });
}

/** Returns the sentences that a module translates. */
function translatedIn(module: ts.SourceFile): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (isT(node)) found.push(...choicesIn(node.arguments[0]));
    ts.forEachChild(node, visit);
  };
  visit(module);
  return found;
}

/** Returns the texts that a value may be: `isOpen ? 'Home' : 'Account'` is one of two. */
function choicesIn(node: ts.Node | undefined): string[] {
  if (node === undefined) return [];
  if (ts.isStringLiteral(node)) return [node.text];
  if (ts.isParenthesizedExpression(node)) return choicesIn(node.expression);
  if (ts.isBinaryExpression(node)) return choicesIn(node.right);
  return ts.isConditionalExpression(node) ? [node.whenTrue, node.whenFalse].flatMap(choicesIn) : [];
}
