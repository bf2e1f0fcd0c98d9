// Parses JSON within limits. Nesting depth and values are counted before parsing, because 10 MiB of brackets block the event loop
// for a second and allocate hundreds of megabytes, even if the result is then refused.
import { isUtf8 } from 'node:buffer';
import { invalid, malformedJson } from '../domain/refusals.ts';

/**
 * The maximum nesting depth of arrays and objects. Our own bodies have one level and the provider's
 * callbacks a few; no schema needs ten.
 */
const MAX_LEVELS = 64;
/**
 * The maximum number of values: about ten milliseconds of parsing. Our own bodies have about ten
 * values, a callback about a hundred.
 */
const MAX_VALUES = 100_000;

/**
 * Parses a body.
 * @throws Refusal `malformed_json`, or `invalid_request` if the JSON is nested too deeply or has too many values.
 */
export function parseBounded(bytes: Buffer): unknown {
  // JSON is UTF-8 without a byte order mark. Decoding any other bytes would change the text.
  if (!isUtf8(bytes) || bytes.indexOf('\uFEFF') === 0) throw malformedJson();
  assertBounded(bytes);
  try {
    return JSON.parse(bytes.toString());
  } catch (cause) {
    throw malformedJson(cause);
  }
}

function assertBounded(bytes: Buffer): void {
  let levels = 0;
  let values = 1;
  let isInText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (isInText) {
      // An escaped quote does not end the string.
      if (byte === 0x5c /* \\ */) at += 1;
      else isInText = byte !== 0x22;
      continue;
    }
    if (byte === 0x22 /* " */) isInText = true;
    else if (byte === 0x2c /* , */) values += 1;
    else if (byte === 0x5d /* ] */ || byte === 0x7d /* } */) levels -= 1;
    else if (byte === 0x5b /* [ */ || byte === 0x7b /* { */) {
      values += 1;
      levels += 1;
    }
    if (levels > MAX_LEVELS) throw invalid('/body', `must not be nested more than ${MAX_LEVELS} levels deep`);
    if (values > MAX_VALUES) throw invalid('/body', `must not hold more than ${MAX_VALUES} values`);
  }
}
