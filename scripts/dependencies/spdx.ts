// SPDX licence expressions: `MIT`, `(MIT OR CC0-1.0)`, `Apache-2.0 WITH LLVM-exception AND MIT`. AND binds before OR.

export type Expression = { licence: string } | { all: Expression[] } | { any: Expression[] };

/** @returns null for anything that is no expression: sentences, `SEE LICENSE IN ...`, unbalanced brackets, nothing. */
export function parseLicence(text: string): Expression | null {
  const words = text.match(/[()]|[^\s()]+/g) ?? [];
  let at = 0;
  // Written in capitals by the book, and in small letters by some packages.
  const takes = (word: string): boolean => {
    const isNext = words[at] === word || words[at] === word.toLowerCase();
    if (isNext) at += 1;
    return isNext;
  };

  const joined = (word: 'AND' | 'OR', part: () => Expression | null): Expression[] | null => {
    const parts: Expression[] = [];
    do {
      const one = part();
      if (one === null) return null;
      parts.push(one);
    } while (takes(word));
    return parts;
  };
  const any = (): Expression | null => {
    const parts = joined('OR', all);
    return parts && (parts.length > 1 ? { any: parts } : (parts[0] ?? null));
  };
  const all = (): Expression | null => {
    const parts = joined('AND', one);
    return parts && (parts.length > 1 ? { all: parts } : (parts[0] ?? null));
  };
  const one = (): Expression | null => {
    if (takes('(')) {
      const inner = any();
      return takes(')') ? inner : null;
    }
    const id = identifier();
    if (id === null || !takes('WITH')) return id === null ? null : { licence: id };
    const exception = identifier();
    return exception === null ? null : { licence: `${id} WITH ${exception}` };
  };
  const identifier = (): string | null => {
    const word = words[at] ?? '';
    if (!/^[A-Za-z0-9][A-Za-z0-9.:-]*\+?$/.test(word) || /^(and|or|with)$/i.test(word)) return null;
    at += 1;
    return word;
  };

  const expression = any();
  return at === words.length ? expression : null;
}

/** Whether one may go by the expression with nothing but these licences. */
export function isAllowed(expression: Expression, licences: readonly string[]): boolean {
  if ('licence' in expression) return licences.includes(expression.licence);
  if ('all' in expression) return expression.all.every((part) => isAllowed(part, licences));
  return expression.any.some((part) => isAllowed(part, licences));
}

/** The expression as the book has it. */
export function writeLicence(expression: Expression): string {
  if ('licence' in expression) return expression.licence;
  const [parts, word] = 'all' in expression ? [expression.all, ' AND '] : [expression.any, ' OR '];
  return parts.map((part) => ('licence' in part ? part.licence : `(${writeLicence(part)})`)).join(word);
}
