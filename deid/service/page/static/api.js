// Api calls the endpoints of the server that the page comes from.

// Failure is an answer that is not the one that was asked for. message is a sentence for the user.
class Failure extends Error {
  constructor(message, { status = 0, code = "", body = null } = {}) {
    super(message);
    Object.assign(this, { status, code, body });
  }
}

const ATTEMPTS = 8; // of a request that the server is too busy for
const LONGEST_WAIT = 30; // seconds, whatever the server asks for

export class Api {
  #token = "";
  #asked = null; // the question for the token that is on the screen
  #ask;
  #tellWait;

  // ask(wrong) asks the user for a token and returns a promise of it, or of null if the user gives up. tellWait(seconds) shows
  // that the server is busy; 0 means that it no longer is.
  constructor({ ask, tellWait }) {
    this.#ask = ask;
    this.#tellWait = tellWait;
  }

  models() { return this.#call("GET", "v1/models"); }

  // deidentify returns an answer for each note. Notes that could not be examined have an error in place of a text.
  async deidentify(request, signal) {
    try {
      return await this.#call("POST", "v1/deidentify", request, signal);
    } catch (error) {
      if (error.status === 422 && error.body?.notes) return error.body;
      throw error;
    }
  }

  // review returns the review that the server was started with, or null if there is none.
  async review() {
    try {
      return await this.#call("GET", "v1/review");
    } catch (error) {
      if (error.status === 404) return null;
      throw error;
    }
  }

  reviewNote(number, reader) { return this.#call("GET", `v1/review/notes/${number}?reader=${encodeURIComponent(reader)}`); }
  saveReviewNote(number, reader, note) { return this.#call("PUT", `v1/review/notes/${number}?reader=${encodeURIComponent(reader)}`, note); }
  differences(number) { return this.#call("GET", `v1/review/differences/${number}`); }
  agreement() { return this.#call("GET", "v1/review/agreement"); }
  bound() { return this.#call("GET", "v1/review/bound"); }

  async #call(method, path, body, signal) {
    for (let attempt = 1; ; attempt++) {
      const token = this.#token;
      const response = await this.#send(method, path, body, signal);
      if (response.status === 401) await this.#renewToken(token);
      else if (response.status === 503 && attempt < ATTEMPTS) await this.#wait(response, signal);
      else return this.#read(response);
    }
  }

  async #send(method, path, body, signal) {
    const headers = { Accept: "application/json" };
    if (this.#token) headers.Authorization = `Bearer ${this.#token}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    try {
      return await fetch(path, { method, headers, body: body && JSON.stringify(body), signal, cache: "no-store", redirect: "error" });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Failure("The server does not answer. Your notes and corrections are still on this page.", { code: "unreachable" });
    }
  }

  // #renewToken asks for the token once, however many requests were refused.
  async #renewToken(refused) {
    if (this.#token !== refused) return; // another request has asked in the meantime
    this.#asked ??= this.#ask(refused !== "").finally(() => { this.#asked = null; });
    const token = await this.#asked;
    if (!token) throw new Failure("The server requires an access token.", { status: 401, code: "token" });
    this.#token = token;
  }

  async #wait(response, signal) {
    const asked = Number(response.headers.get("Retry-After"));
    const seconds = Math.min(LONGEST_WAIT, Math.max(1, Number.isFinite(asked) ? asked : 1));
    this.#tellWait(seconds);
    await new Promise((resolve) => { setTimeout(resolve, seconds * 1000); });
    signal?.throwIfAborted();
    this.#tellWait(0);
  }

  async #read(response) {
    let body = null;
    try {
      body = await response.json();
    } catch (error) {
      if (error.name === "AbortError") throw error;
      // An answer without JSON, as of a proxy, is explained by its status.
    }
    if (response.ok && body !== null) return body;
    throw new Failure(explain(response.status, body?.error?.message), { status: response.status, code: body?.error?.code, body });
  }
}

function explain(status, message) {
  if (status === 413) return `The note is larger than the server accepts. ${message ?? ""}`.trim();
  if (status === 503) return `The server is too busy at the moment. ${message ?? "Try again later."}`;
  return message ?? (EXPLANATIONS[status] ?? `The server answered with the status ${status}, which this page does not expect.`);
}

const EXPLANATIONS = {
  403: "The server does not allow this.",
  404: "The server has no such endpoint.",
  500: "The server failed.",
  502: "The server behind the proxy does not answer.",
  504: "The server behind the proxy took too long.",
};
