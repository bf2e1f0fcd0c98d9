// Makes TypeScript that a browser can run: Node replaces the types by spaces, so lines and columns stay the same.
import { stripTypeScriptTypes } from 'node:module';

// At the first call, Node prints that the function is experimental. This call suppresses the warning.
const emitWarning = process.emitWarning.bind(process);
process.emitWarning = () => undefined;
stripTypeScriptTypes('');
process.emitWarning = emitWarning;

const stripped = new Map<string, string>();

/** Returns the module without its types. A browser loads 80 modules each time, so a text is stripped once. */
export function withoutTypes(source: string): string {
  const text = stripped.get(source) ?? stripTypeScriptTypes(source);
  stripped.set(source, text);
  return text;
}
