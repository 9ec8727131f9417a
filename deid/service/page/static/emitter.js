// Emitter lets one part of the page tell others what changed.
export class Emitter {
  #listeners = new Map();

  on(name, listener) {
    if (!this.#listeners.has(name)) this.#listeners.set(name, new Set());
    this.#listeners.get(name).add(listener);
    return () => this.#listeners.get(name).delete(listener);
  }

  emit(name, detail) {
    for (const listener of this.#listeners.get(name) ?? []) listener(detail);
  }
}
