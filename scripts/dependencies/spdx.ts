// SPDX licence expressions, read by the parser of the SPDX licence list: a name that is not on it is not a licence. This file
// decides by their names which ones are allowed, because the usual library (spdx-satisfies) also accepts `MIT+` if `MIT` is
// allowed.
import parse, { type Info as Expression } from 'spdx-expression-parse';

export type { Expression };

/** @returns null for anything that is not an expression: a sentence, `SEE LICENSE IN ...`, an unknown name, or an empty text. */
export function parseLicence(text: string): Expression | null {
  try {
    return parse(text);
  } catch {
    return null;
  }
}

/** Whether these licences are enough to use code under the expression. */
export function isAllowed(expression: Expression, licences: readonly string[]): boolean {
  if (!('conjunction' in expression)) return licences.includes(writeLicence(expression));
  const left = isAllowed(expression.left, licences);
  const right = isAllowed(expression.right, licences);
  return expression.conjunction === 'and' ? left && right : left || right;
}

/** Writes the expression in its canonical spelling. AND binds before OR; brackets mark any other grouping. */
export function writeLicence(expression: Expression): string {
  if (!('conjunction' in expression)) {
    const { license, plus, exception } = expression;
    return `${license}${plus ? '+' : ''}${exception === undefined ? '' : ` WITH ${exception}`}`;
  }
  const { left, conjunction, right } = expression;
  const part = (one: Expression): string =>
    'conjunction' in one && one.conjunction !== conjunction ? `(${writeLicence(one)})` : writeLicence(one);
  return `${part(left)} ${conjunction.toUpperCase()} ${part(right)}`;
}
