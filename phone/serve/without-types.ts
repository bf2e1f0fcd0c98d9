// Makes TypeScript that a browser can run: Node replaces the types by spaces, so lines and columns stay the same.
import { stripTypeScriptTypes } from 'node:module';

// At the first call, Node prints that the function is experimental. This call suppresses the warning.
const emitWarning = process.emitWarning.bind(process);
process.emitWarning = () => undefined;
stripTypeScriptTypes('');
process.emitWarning = emitWarning;

export const withoutTypes = (source: string): string => stripTypeScriptTypes(source);
