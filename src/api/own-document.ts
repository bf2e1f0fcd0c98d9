// Makes the contract strict for validating our own responses. The published contract allows additional properties, because it will
// grow and clients must accept new ones. Today's responses have no undeclared property.

/**
 * Sets `additionalProperties: false` on every object schema that does not set it. Removes the mappings of discriminators: the
 * validator rejects them, and they only repeat the names of the schemas.
 */
export function closedDocument(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closedDocument);
  if (typeof value !== 'object' || value === null) return value;
  const own = Object.fromEntries(
    Object.entries(value as Record<string, unknown>).map(([name, child]) => [
      name,
      name === 'discriminator' ? unmapped(child as { propertyName: string }) : closedDocument(child),
    ]),
  );
  return own['type'] === 'object' && 'properties' in own ? { additionalProperties: false, ...own } : own;
}

const unmapped = ({ propertyName }: { propertyName: string }) => ({ propertyName });
