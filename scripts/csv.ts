// Reads tables that the documents keep as data.

/** Returns the records without the head. A quoted field may have commas and doubled quotes, but no line breaks. */
export const recordsOf = (text: string): string[][] =>
  text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"(?<quoted>(?:[^"]|"")*)"|(?<plain>[^,]*))/g)].map(
        ({ groups = {} }) => groups['quoted']?.replaceAll('""', '"') ?? groups['plain'] ?? '',
      ),
    );
