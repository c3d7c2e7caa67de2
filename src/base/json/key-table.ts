const INITIAL_OPEN = 64;
const INITIAL_SLOTS = 512;
const MAX_PROBES = 32;
/** Objects of up to this many names, nearly all there are, are compared name by name. */
const FEW_NAMES = 16;

/**
 * Notices names that may occur twice in one object, in linear time and without making a string.
 *
 * Names are kept as 32-bit hashes, in one list for all objects that are still open; an object with many names also
 * keeps them in a probing table. Equal hashes only raise a suspicion, which `findDuplicateName` then settles on the
 * text; so a hostile choice of names costs one exact check, never quadratic time.
 */
export class KeyTable {
  /** Hash and object of each name in an object that is still open, in order of appearance. */
  #hashes = new Int32Array(INITIAL_OPEN);
  #owners = new Int32Array(INITIAL_OPEN);
  #open = 0;
  #serial = 0;
  #tableHashes = new Int32Array(INITIAL_SLOTS);
  /** 0 where a slot is free. */
  #tableOwners = new Int32Array(INITIAL_SLOTS);
  #mask = INITIAL_SLOTS - 1;
  #used = 0;

  /** Starts a new text. */
  reset(): void {
    this.#open = 0;
    this.#serial = 0;
    if (this.#used > 0) this.#clearTable();
  }

  /** An object begins. @returns its number, to be handed to `add` */
  begin(): number {
    return ++this.#serial;
  }

  /** How many names are open: an object's names are those from its mark on. */
  get mark(): number {
    return this.#open;
  }

  /** The object that began at `mark` ends; its names are forgotten. */
  close(mark: number): void {
    this.#open = mark;
  }

  /** @returns true when the object that began at `mark` may already hold this name */
  add(owner: number, mark: number, hash: number): boolean {
    const open = this.#open;
    if (open === this.#hashes.length) this.#growOpen();
    const hashes = this.#hashes;
    hashes[open] = hash;
    this.#open = open + 1;
    if (open - mark < FEW_NAMES) {
      for (let i = mark; i < open; i++) if (hashes[i] === hash) return true;
      return false;
    }
    return this.#addToMany(owner, mark, hash);
  }

  #addToMany(owner: number, mark: number, hash: number): boolean {
    const before = this.#open - 1;
    this.#owners[before] = owner;
    if (before - mark === FEW_NAMES) {
      for (let i = mark; i < before; i++) {
        this.#owners[i] = owner;
        this.#insert(owner, this.#hashes[i]!);
      }
    }
    if (this.#used * 4 > this.#mask) this.#rebuild();
    return this.#insert(owner, hash);
  }

  #insert(owner: number, hash: number): boolean {
    const mask = this.#mask;
    let slot = Math.imul(hash ^ Math.imul(owner, 0x9e3779b1), 0x85ebca6b);
    slot = (slot ^ (slot >>> 15)) & mask;
    for (let probes = 0; probes < MAX_PROBES; probes++) {
      const holder = this.#tableOwners[slot]!;
      if (holder === 0) {
        this.#tableOwners[slot] = owner;
        this.#tableHashes[slot] = hash;
        this.#used++;
        return false;
      }
      if (holder === owner && this.#tableHashes[slot] === hash) return true;
      slot = (slot + 1) & mask;
    }
    return true;
  }

  /** A quarter full: drop the names of closed objects, and grow where the open ones alone would fill an eighth. */
  #rebuild(): void {
    const slots = this.#mask + 1;
    if (this.#open * 8 > slots) {
      this.#tableOwners = new Int32Array(slots * 4);
      this.#tableHashes = new Int32Array(slots * 4);
      this.#mask = slots * 4 - 1;
    } else this.#tableOwners.fill(0);
    this.#used = 0;
    // The newest name is not in yet; names of small objects have no owner and stay out.
    for (let i = 0; i < this.#open - 1; i++) {
      if (this.#owners[i] !== 0) this.#insert(this.#owners[i]!, this.#hashes[i]!);
    }
  }

  #clearTable(): void {
    this.#used = 0;
    // One text of a million names must not make every later text pay for the room it took.
    if (this.#owners.length <= INITIAL_SLOTS) this.#owners.fill(0);
    else {
      this.#hashes = new Int32Array(INITIAL_OPEN);
      this.#owners = new Int32Array(INITIAL_OPEN);
    }
    if (this.#mask < INITIAL_SLOTS) {
      this.#tableOwners.fill(0);
      return;
    }
    this.#tableOwners = new Int32Array(INITIAL_SLOTS);
    this.#tableHashes = new Int32Array(INITIAL_SLOTS);
    this.#mask = INITIAL_SLOTS - 1;
  }

  #growOpen(): void {
    const hashes = new Int32Array(this.#open * 2);
    const owners = new Int32Array(this.#open * 2);
    hashes.set(this.#hashes);
    owners.set(this.#owners);
    this.#hashes = hashes;
    this.#owners = owners;
  }
}
