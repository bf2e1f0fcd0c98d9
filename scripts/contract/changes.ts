// The result of comparing two contracts: a list of changes, each with its place and whether it breaks a client.

export type Change = {
  /** The operation (`POST /withdraws`) or schema (`PixPayment`) that changed. */
  where: string;
  /** The change, as a clause in the past tense: "the parameter `limit` was removed". */
  what: string;
  /** Whether an app that was written for the former contract can fail with the current one. */
  isBreaking: boolean;
};

export class Changes {
  readonly found: Change[] = [];

  breaking(where: string, what: string): void {
    this.#add({ where, what, isBreaking: true });
  }

  compatible(where: string, what: string): void {
    this.#add({ where, what, isBreaking: false });
  }

  /**
   * Adds a change. A schema that is both sent and answered is compared in both directions: a change that breaks one of them is
   * listed once, as breaking.
   */
  #add(change: Change): void {
    const same = this.found.find(({ where, what }) => where === change.where && what === change.what);
    if (same === undefined) this.found.push(change);
    else same.isBreaking ||= change.isBreaking;
  }
}

/** Compares two records by name, and returns the members that are gone, new, and in both. */
export function matched<Member>(before: Record<string, Member> = {}, after: Record<string, Member> = {}) {
  return {
    gone: Object.entries(before).filter(([name]) => !(name in after)),
    added: Object.entries(after).filter(([name]) => !(name in before)),
    kept: Object.entries(before).flatMap(([name, former]) => {
      const present = after[name];
      return present === undefined ? [] : [[name, former, present] as const];
    }),
  };
}
