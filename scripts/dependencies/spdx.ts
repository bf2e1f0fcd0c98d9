// SPDX licence expressions, read by the parser of the SPDX licence list: names that are not on it are no licence. Which of them
// are allowed is decided here by their names: the usual library (spdx-satisfies) also takes `MIT+` where `MIT` is allowed.
import parse, { type Info as Expression } from 'spdx-expression-parse';

export type { Expression };

/** @returns null for anything that is no expression: sentences, `SEE LICENSE IN ...`, unknown names, nothing. */
export function parseLicence(text: string): Expression | null {
  try {
    return parse(text);
  } catch {
    return null;
  }
}

/** Whether one may go by the expression with nothing but these licences. */
export function isAllowed(expression: Expression, licences: readonly string[]): boolean {
  if (!('conjunction' in expression)) return licences.includes(writeLicence(expression));
  const left = isAllowed(expression.left, licences);
  const right = isAllowed(expression.right, licences);
  return expression.conjunction === 'and' ? left && right : left || right;
}

/** The expression in the canonical spelling; AND binds before OR, and brackets say so. */
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
