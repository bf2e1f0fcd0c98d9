// Checks the canonical encoding of a signed token, issued by us or by an identity provider, before anything is decoded.

const threeParts = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Returns whether a token is three parts of base64url (RFC 7515), each equal to the encoding of its decoded bytes. Decoders accept
 * padding, white space and stray bits at the end, so without this check one signature would have many tokens.
 */
export const isCompact = (token: string): boolean =>
  threeParts.test(token) && token.split('.').every(isCanonical);

const isCanonical = (part: string): boolean => Buffer.from(part, 'base64url').toString('base64url') === part;
