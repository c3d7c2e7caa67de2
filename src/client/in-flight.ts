/** What waits for an answer under a number of ours. */
interface Numbered {
  readonly id: number;
}

const INITIAL_PLACES = 64;

/**
 * Requests in flight, by id. Not a Map: V8's Map leaves a table that it has outgrown pointing to the next one, and once
 * one of them is old, all later ones with the calls that were in them outlive every quick collection, though they were
 * answered long ago. Copying them was a fifth of what a small call cost.
 */
export class InFlight<Request extends Numbered> {
  /** A request lies at its id, as many places as there are taken off: ids whose place is taken are left out. */
  #places: (Request | undefined)[] = emptyPlaces(INITIAL_PLACES);
  #lastId = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Ids up to here have been used, nearly all of them. */
  get lastId(): number {
    return this.#lastId;
  }

  /** The next id, higher than all before. */
  nextId(): number {
    if (this.#size * 2 >= this.#places.length) this.#grow();
    do this.#lastId++;
    while (this.#places[this.#placeOf(this.#lastId)] !== undefined);
    return this.#lastId;
  }

  /** @param request with the id that `nextId` gave last */
  add(request: Request): void {
    this.#places[this.#placeOf(request.id)] = request;
    this.#size++;
  }

  get(id: number): Request | undefined {
    const request = this.#places[this.#placeOf(id)];
    return request?.id === id ? request : undefined;
  }

  /** @returns whether it was there */
  delete(id: number): boolean {
    if (this.get(id) === undefined) return false;
    this.#places[this.#placeOf(id)] = undefined;
    this.#size--;
    return true;
  }

  /** All of them, the oldest first. */
  values(): Request[] {
    const requests: Request[] = [];
    for (const request of this.#places) if (request !== undefined) requests.push(request);
    return requests.sort((a, b) => a.id - b.id);
  }

  #placeOf(id: number): number {
    return id & (this.#places.length - 1);
  }

  #grow(): void {
    const requests = this.values();
    // Twice the places part what lay apart before: no two can meet.
    this.#places = emptyPlaces(this.#places.length * 2);
    for (const request of requests) this.#places[this.#placeOf(request.id)] = request;
  }
}

function emptyPlaces(count: number): undefined[] {
  return new Array<undefined>(count).fill(undefined);
}
