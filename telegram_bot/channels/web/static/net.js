/** Requests, acts and the stream. Their protocol is docs/web-seat.md. */

const DELAYS = [500, 1000, 1500];
const MOST_TRIES = 8;
const SILENT_MS = 30000;
const REQUEST_MS = 15000;

let token = null;

/** Mini Apps and big screens send a token; guests have a cookie. */
export function useToken(value) {
  token = value;
}

/** A request that the server refused, with its status, its name of the reason, and what to do about it. */
export class Refused extends Error {
  constructor(response, body) {
    super(body.text ?? "");
    this.status = response.status;
    this.error = body.error ?? "";
    this.body = body;
    this.retryAfter = Number(response.headers.get("Retry-After")) || 0;
  }
}

function headers(more = {}) {
  return token ? { Authorization: `Bearer ${token}`, ...more } : more;
}

/** POST with a body, GET without; the answer's JSON. Throws Refused, or TypeError without a network. */
export async function ask(path, body) {
  const response = await fetch(`/seat/${path}`, {
    method: body ? "POST" : "GET",
    headers: headers(body ? { "Content-Type": "application/json" } : {}),
    body: body ? JSON.stringify(body) : undefined,
    cache: "no-store",
    signal: AbortSignal.timeout(REQUEST_MS),
  });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(response, answer);
  return answer;
}

/** A random UUID, also over plain HTTP at home, where browsers offer no `randomUUID`. */
function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 15) | 64;
  bytes[8] = (bytes[8] & 63) | 128;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** Send an act until the server has answered, under one id, so that it happens once; a proxy answers 502 for a worker that died. */
export async function act(what) {
  const body = { id: uuid(), ...what };
  for (let tries = 0; ; tries += 1) {
    try {
      return await ask("act", body);
    } catch (error) {
      const refused = error instanceof Refused;
      if ((refused && error.status < 502) || tries >= MOST_TRIES) throw error;
      await pause(delay(tries));
    }
  }
}

function delay(tries) {
  return DELAYS[Math.min(tries, DELAYS.length - 1)];
}

export function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * The server's events, for as long as the page is open.
 *
 * `on.hello`, `on.card`, `on.ready` get their events; `on.lost` and `on.found` tell of the connection; `on.end` says that
 * the session has changed, and that the page has to ask who it is. `sleeps`: a hidden page closes its stream, so that the
 * private chat takes over.
 */
export class Stream {
  constructor(on, { sleeps = false } = {}) {
    this.on = on;
    this.sleeps = sleeps;
    this.after = "0.0";
    this.running = null;
    this.heard = 0;
    addEventListener("online", () => this.wake(true));
    addEventListener("pageshow", (event) => event.persisted && this.wake(true));
    document.addEventListener("visibilitychange", () => this.seen(!document.hidden));
  }

  /** Read from the beginning: whatever was read before is over. */
  start() {
    this.stop();
    this.after = "0.0";
    this.run();
  }

  stop() {
    this.running = null;
    this.reading?.abort();
    this.rested?.();
  }

  /** The page is looked at again, or no more. */
  seen(visible) {
    clearTimeout(this.dozing);
    if (visible) {
      this.asleep = false;
      this.wake(Date.now() - this.heard > SILENT_MS / 2);
    } else if (this.sleeps) {
      this.dozing = setTimeout(() => {
        this.asleep = true;
        this.reading?.abort();
      }, 3000);
    }
  }

  /** Connect at once; `again`: also if there seems to be a connection. */
  wake(again) {
    this.tries = 0;
    if (again) this.reading?.abort();
    this.rested?.();
  }

  async run() {
    const running = {};
    this.running = running;
    this.tries = 0;
    for (;;) {
      let why = null;
      let wait = 0;
      try {
        why = await this.read();
      } catch (error) {
        if (error instanceof Refused && error.status === 401) why = "no_session";
        if (error instanceof Refused) wait = error.retryAfter * 1000;
      }
      if (this.running !== running) return;
      if (why) {
        this.running = null;
        this.on.end(why);
        return;
      }
      if (!this.asleep) this.on.lost();
      await this.rest(this.asleep ? 2 ** 30 : Math.max(wait, delay(this.tries)));
      if (this.running !== running) return;
      this.tries += 1;
    }
  }

  rest(ms) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.rested = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Read one connection to its end; the reason, if the server ended it for good. */
  async read() {
    const reading = new AbortController();
    this.reading = reading;
    let silent = setTimeout(() => reading.abort(), SILENT_MS);
    try {
      const response = await fetch(`/seat/stream?after=${this.after}`, {
        headers: headers({ Accept: "text/event-stream" }),
        cache: "no-store",
        signal: reading.signal,
      });
      if (!response.ok) throw new Refused(response, await response.json().catch(() => ({})));
      const reader = response.body.getReader();
      const decoder = new TextDecoder();
      let text = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return null;
        clearTimeout(silent);
        silent = setTimeout(() => reading.abort(), SILENT_MS);
        this.heard = Date.now();
        const events = (text + decoder.decode(value, { stream: true })).split("\n\n");
        text = events.pop();
        for (const event of events) {
          const why = this.event(event);
          if (why) return why;
        }
      }
    } finally {
      clearTimeout(silent);
      reading.abort();
    }
  }

  event(text) {
    const fields = {};
    for (const line of text.split("\n")) {
      const colon = line.indexOf(":");
      if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 1).trimStart();
    }
    if (!fields.event) return null;
    const data = JSON.parse(fields.data ?? "{}");
    if (fields.event === "end") return data.why || "moved";
    if (fields.event === "ready") {
      this.tries = 0;
      this.on.found();
    }
    this.on[fields.event]?.(data);
    if (fields.id) this.after = fields.id;
    return null;
  }
}
