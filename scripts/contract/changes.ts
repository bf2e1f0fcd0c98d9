// What a comparison of two contracts finds: a list of changes, each with its place and whether it breaks a client.

export type Change = {
  /** An operation (`POST /withdraws`), or a schema (`PixPayment`). */
  where: string;
  /** A clause about it, in the past tense: "the parameter `limit` was removed". */
  what: string;
  /** Whether an app that was written for the former contract can fail with the present one. */
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

  /** A schema that is sent and answered is compared for both: what breaks one of them is named once, as breaking. */
  #add(change: Change): void {
    const same = this.found.find(({ where, what }) => where === change.where && what === change.what);
    if (same === undefined) this.found.push(change);
    else same.isBreaking ||= change.isBreaking;
  }
}

/** The members of two records by name: gone, new, and in both. */
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
