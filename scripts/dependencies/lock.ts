// The lock file, as npm writes it.

export type LockEntry = {
  name?: string;
  version?: string;
  resolved?: string;
  integrity?: string;
  license?: unknown;
  dev?: boolean;
  /** Of development, and an optional peer of something in production: npm installs it there. */
  devOptional?: boolean;
  engines?: unknown;
  optional?: boolean;
  link?: boolean;
  hasInstallScript?: boolean;
  os?: string[];
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
};

export type Lock = { lockfileVersion: number; packages: Record<string, LockEntry> };
