// Types are the types of PHI of the server's models, by name.
export class Types {
  #categories = new Map();

  // types are {name, category}.
  constructor(types) {
    for (const { name, category } of types) this.#categories.set(name, category);
  }

  get names() { return [...this.#categories.keys()]; }

  // only returns the types with these names, some of which may be unknown.
  only(names) { return new Types(names.map((name) => ({ name, category: this.category(name) }))); }

  // category returns the category of a type, such as NAME, or "" if the server has not described the type.
  category(name) { return this.#categories.get(name) ?? ""; }

  // colour returns the class of the elements that show a type: see tokens.css.
  colour(name) {
    const category = this.category(name);
    return `c-${COLOURED.has(category) ? category.toLowerCase() : "other"}`;
  }
}

const COLOURED = new Set(["NAME", "PROFESSION", "LOCATION", "AGE", "DATE", "CONTACT", "ID", "OTHER"]);
