/** Something that stands on a roll, and knows where. */
export interface Enrolled {
  /** Its place there; -1 where it stands on none. The roll's to write. */
  place: number;
}

/**
 * What is under way: entered and struck off once a call, in no order. A list and not a Set: the tables that a Set leaves
 * behind as it grows and shrinks keep what was struck off alive for the garbage collector to copy (as
 * `doors/open-requests.ts` says of a Map).
 */
export class Roll<Member extends Enrolled> {
  readonly #members: Member[] = [];

  get size(): number {
    return this.#members.length;
  }

  add(member: Member): void {
    if (member.place >= 0) return;
    member.place = this.#members.length;
    this.#members.push(member);
  }

  remove(member: Member): void {
    const { place } = member;
    if (place < 0) return;
    member.place = -1;
    // The last one takes its place.
    const last = this.#members.pop();
    if (last === undefined || last === member) return;
    last.place = place;
    this.#members[place] = last;
  }

  /** A copy: members may be struck off while it is walked through. */
  all(): readonly Member[] {
    return [...this.#members];
  }
}
