// HTML as tagged templates: interpolated text is escaped, unless it is already HTML.

export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Piece = string | number | Html | Html[];

export function html(strings: TemplateStringsArray, ...pieces: Piece[]): Html {
  return new Html(String.raw({ raw: strings }, ...pieces.map(render)));
}

function render(piece: Piece): string {
  if (Array.isArray(piece)) return piece.map(render).join('');
  if (piece instanceof Html) return piece.text;
  return String(piece).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
