const INITIAL_SLOTS = 512;
const MAX_PROBES = 16;

/**
 * Notices names that may occur twice in one object, in linear time and without making a string.
 *
 * Names are kept as 32-bit hashes: a list of those in objects still open, and a probing table over them. Equal hashes
 * only raise a suspicion, which `findDuplicateName` then settles on the text; so a hostile choice of names costs one
 * exact check, never quadratic time.
 */
export class KeyTable {
  #serials = new Int32Array(INITIAL_SLOTS);
  #hashes = new Int32Array(INITIAL_SLOTS);
  #mask = INITIAL_SLOTS - 1;
  #used = 0;
  /** Hash and object of each name in an object that is still open, in order of appearance. */
  #openHashes = new Int32Array(64);
  #openSerials = new Int32Array(64);
  #open = 0;
  #serial = 0;
  /** Objects numbered up to here belong to earlier texts: their slots count as free. */
  #floor = 0;

  /** Starts a new text. */
  reset(): void {
    this.#open = 0;
    this.#used = 0;
    if (this.#serial > 0x3fffffff) {
      this.#serial = 0;
      this.#serials.fill(0);
    }
    this.#floor = this.#serial;
  }

  /** An object begins. @returns its number, to be handed to `add` and `close` */
  begin(): number {
    return ++this.#serial;
  }

  /** How many names are open; `close` takes it back to where the object began. */
  get mark(): number {
    return this.#open;
  }

  /** The object that began at `mark` ends; its names are forgotten. */
  close(mark: number): void {
    this.#open = mark;
  }

  /** @returns true when the object may already hold this name */
  add(serial: number, hash: number): boolean {
    if (this.#used * 2 > this.#mask) this.#rebuild();
    const open = this.#open;
    if (open === this.#openHashes.length) this.#growOpen();
    this.#openHashes[open] = hash;
    this.#openSerials[open] = serial;
    this.#open = open + 1;
    return this.#insert(serial, hash);
  }

  #insert(serial: number, hash: number): boolean {
    const mask = this.#mask;
    const serials = this.#serials;
    let slot = Math.imul(hash ^ Math.imul(serial, 0x9e3779b1), 0x85ebca6b);
    slot = (slot ^ (slot >>> 15)) & mask;
    for (let probes = 0; probes < MAX_PROBES; probes++) {
      const holder = serials[slot]!;
      if (holder <= this.#floor) {
        serials[slot] = serial;
        this.#hashes[slot] = hash;
        this.#used++;
        return false;
      }
      if (holder === serial && this.#hashes[slot] === hash) return true;
      slot = (slot + 1) & mask;
    }
    return true;
  }

  /** Half full: drop the names of closed objects, and grow where the open ones alone would fill a quarter. */
  #rebuild(): void {
    const slots = this.#mask + 1;
    if (this.#open * 4 > slots) {
      this.#serials = new Int32Array(slots * 2);
      this.#hashes = new Int32Array(slots * 2);
      this.#mask = slots * 2 - 1;
    } else {
      this.#serials.fill(0);
    }
    this.#used = 0;
    for (let i = 0; i < this.#open; i++) this.#insert(this.#openSerials[i]!, this.#openHashes[i]!);
  }

  #growOpen(): void {
    const hashes = new Int32Array(this.#open * 2);
    const serials = new Int32Array(this.#open * 2);
    hashes.set(this.#openHashes);
    serials.set(this.#openSerials);
    this.#openHashes = hashes;
    this.#openSerials = serials;
  }
}
