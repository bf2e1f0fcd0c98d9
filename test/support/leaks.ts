// Searches for values that must not leak, in any form in which they may be written. One pass over a text finds any number of
// values.

/** A secret, a token, a key or a personal value, and what it is. */
export type Mark = { what: string; value: string };
/** A text that others can read: a log line, an answer, or a column. */
export type Captured = { where: string; text: string };
export type Leak = { where: string; what: string; form: Form; value: string };

type Form = 'verbatim' | 'in JSON' | 'in an address' | 'in a form' | 'in hex' | 'in base64';
type Needle = { mark: Mark; form: Form; text: string };

/** The only places where a marked value is allowed. */
const allowed: { what: string; where: string; because: string }[] = [
  {
    what: 'a name',
    where: 'users.display_name',
    because: 'What to call a person in the app is no part of what is sealed. Closing the account empties it.',
  },
];

/** Shorter values occur by chance in encoded text. */
const LEAST_ENCODED_BYTES = 8;

/** Returns each value once for each place. */
export function leaksIn(heard: Captured[], marks: Mark[]): Leak[] {
  const needles = marks.flatMap(needlesOf);
  const exact = createSearch(needles.filter(({ form }) => form === 'in base64'));
  const folded = createSearch(
    needles
      .filter(({ form }) => form !== 'in base64')
      .map((needle) => ({ ...needle, text: needle.text.toLowerCase() })),
  );
  const leaks = new Map<string, Leak>();
  for (const { where, text } of heard)
    for (const { mark, form } of [...exact(text), ...folded(text.toLowerCase())]) {
      if (allowed.some((one) => one.what === mark.what && one.where === where)) continue;
      leaks.set(`${where} ${mark.value}`, { where, ...mark, form });
    }
  return [...leaks.values()];
}

function needlesOf(mark: Mark): Needle[] {
  const { value } = mark;
  const bytes = Buffer.from(value);
  const address = encodeURIComponent(value);
  const texts: [Form, string][] = [
    ['verbatim', value],
    ['in JSON', JSON.stringify(value).slice(1, -1)],
    ['in an address', address],
    ['in a form', address.replaceAll('%20', '+')],
  ];
  if (bytes.length >= LEAST_ENCODED_BYTES)
    texts.push(
      ['in hex', bytes.toString('hex')],
      ...base64Of(bytes).map((text): [Form, string] => ['in base64', text]),
    );
  const forms = new Map(texts.toReversed().map(([form, text]) => [text, form]));
  return [...forms].map(([text, form]) => ({ mark, form, text }));
}

/** The part of the value's encoding that is the same at any offset in a longer text, in both alphabets. */
function base64Of(bytes: Buffer): string[] {
  const texts = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const isCut = (before + bytes.length) % 3 !== 0;
    return text.slice(Math.ceil((before * 8) / 6), isCut ? -1 : undefined);
  });
  return [...texts, ...texts.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))];
}

/** Compares a whole needle only after its first four characters matched, so the number of needles hardly matters. */
function createSearch(needles: Needle[]): (text: string) => Set<Needle> {
  const byBeginning = new Map<number, Needle[]>();
  const isBeginning = new Uint8Array(1 << 16);
  for (const needle of needles) {
    const beginning = beginningAt(needle.text, 0);
    isBeginning[beginning] = 1;
    byBeginning.set(beginning, [...(byBeginning.get(beginning) ?? []), needle]);
  }
  return (text) => {
    const found = new Set<Needle>();
    for (let at = 0; at + 4 <= text.length; at += 1) {
      const beginning = beginningAt(text, at);
      if (isBeginning[beginning] === 0) continue;
      for (const needle of byBeginning.get(beginning) ?? [])
        if (text.startsWith(needle.text, at) && standsAlone(text, at, needle)) found.add(needle);
    }
    return found;
  };
}

const beginningAt = (text: string, at: number): number =>
  (text.charCodeAt(at) * 0x1f3d +
    text.charCodeAt(at + 1) * 0x3d1 +
    text.charCodeAt(at + 2) * 0x1f +
    text.charCodeAt(at + 3)) &
  0xffff;

/**
 * Whether the match is a value by itself. A short match within a word or a number is a different value, and so are digits within an
 * id.
 */
function standsAlone(text: string, at: number, { form, mark, text: needle }: Needle): boolean {
  if (form !== 'verbatim' || needle.length > 20) return true;
  const isPartOf = /^\d+$/.test(mark.value) ? /[\p{L}\p{N}_-]/u : /[\p{L}\p{N}_]/u;
  return !isPartOf.test(text.charAt(at - 1)) && !isPartOf.test(text.charAt(at + needle.length));
}
