// TypeScript as a browser can run it: Node replaces the types by spaces, so lines and columns stay where they are.
import { stripTypeScriptTypes } from 'node:module';

// At the first call Node prints that the function is experimental: here, where nothing is printed.
const emitWarning = process.emitWarning.bind(process);
process.emitWarning = () => undefined;
stripTypeScriptTypes('');
process.emitWarning = emitWarning;

export const withoutTypes = (source: string): string => stripTypeScriptTypes(source);
