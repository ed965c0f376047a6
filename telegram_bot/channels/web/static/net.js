/** Requests, acts and the stream. Their protocol is PROTOCOL.md of the channel. */

const DELAYS = [500, 1000];
const MOST_TRIES = 12;
const REQUEST_MS = 15000;
/** An act may be sent again: it happens once. */
const ACT_MS = 4000;
/** How late a ping may be. A page whose connection is slow, not dead, waits longer and longer. */
const LATE_MS = 1500;
const MOST_SILENT_MS = 20000;
const STEADY_MS = 10000;
const CONNECT_MS = 1500;
const MOST_ASKED = 3;
const LOST_MS = 1000;

let token = null;

/** Mini Apps and televisions send a token; guests have a cookie. */
export function useToken(value) {
  token = value;
}

/** An answer that is no success. */
class Failed extends Error {
  constructor(response, body) {
    super(body.text ?? "");
    this.status = response.status;
    this.body = body;
    this.retryAfter = Number(response.headers.get("Retry-After")) || 0;
  }
}

/** A request that the server refused: the status, and the advice to the player. */
export class Refused extends Failed {}

/** A request whose outcome is unknown, as without a network: a proxy answers 502 for a server that starts again. */
class Lost extends Failed {}

async function failure(response) {
  const body = await response.json().catch(() => ({}));
  return response.status < 500 ? new Refused(response, body) : new Lost(response, body);
}

/** A signal that ends a request after so many milliseconds. */
function within(ms) {
  const request = new AbortController();
  setTimeout(() => request.abort(), ms);
  return request.signal;
}

/** The key in a link's fragment, without signs that messengers put after it, or "". */
export function keyIn(hash) {
  return /^#([\w-]+)(?![\w=-])/.exec(hash)?.[1] ?? "";
}

function headers(more = {}) {
  return token ? { Authorization: `Bearer ${token}`, ...more } : more;
}

/** POST with a body, GET without; the answer's JSON. Throws Refused, or another error if the outcome is unknown. */
export async function ask(path, body, ms = REQUEST_MS) {
  const response = await fetch(`/seat/${path}`, {
    method: body ? "POST" : "GET",
    headers: headers(body ? { "Content-Type": "application/json" } : {}),
    body: body ? JSON.stringify(body) : undefined,
    cache: "no-cache",
    signal: within(ms),
  });
  if (!response.ok) throw await failure(response);
  return response.json();
}

/** A file that only this session may read, or null if it did not come. */
export function askFile(path) {
  const file = async () => {
    const response = await fetch(`/seat/${path}`, { headers: headers(), signal: within(2 * REQUEST_MS) });
    if (!response.ok) throw await failure(response);
    return response.blob();
  };
  return insist(file).catch(() => null);
}

/** A random UUID, also over plain HTTP at home, where browsers offer no `randomUUID`. */
function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 15) | 64;
  bytes[8] = (bytes[8] & 63) | 128;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** Send an act, until the server answers. */
export function act(what) {
  return once("act", what, ACT_MS);
}

/** Send a request, under one id, until the server answers: it happens once. */
export function once(path, what, ms = REQUEST_MS) {
  const body = { id: uuid(), ...what };
  return insist(() => ask(path, body, ms));
}

/** Ask again while the outcome is unknown; only for requests that may be repeated. */
export async function insist(request) {
  for (let tries = 0; ; tries += 1) {
    try {
      return await request();
    } catch (error) {
      if (error instanceof Refused || tries >= MOST_TRIES) throw error;
      await pause(delay(tries));
    }
  }
}

/** After so many tries; none after -1. */
function delay(tries) {
  return DELAYS[Math.min(tries, DELAYS.length - 1)] ?? 0;
}

export function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * The server's events, for as long as the page is open.
 *
 * `on.hello`, `on.card`, `on.ready` get their events; `on.lost`, with the name of a sentence, and `on.found` get the changes
 * of the connection. Another tab may take the stream's place, until the person comes back to this one. A
 * party that is over has no news. After `on.end` the session has changed, and the page has to ask for its player again. `sleeps`: a hidden page closes its
 * stream, and the bot then writes to the private chat.
 */
export class Stream {
  constructor(on, { sleeps = false } = {}) {
    this.on = on;
    this.sleeps = sleeps;
    /** When the server restored a backup last, as its first greeting said. */
    this.restored = null;
    /** The last card that came for each place: a connection begins with all cards that there are. @type {Map<string, string>} */
    this.drawn = new Map();
    this.tab = uuid();
    this.running = null;
    this.heard = 0;
    this.patience = LATE_MS;
    /** The time between two pings of the server. */
    this.beat = 1000;
    addEventListener("online", () => this.wake(true));
    addEventListener("pageshow", (event) => event.persisted && this.wake(true));
    document.addEventListener("visibilitychange", () => this.seen(!document.hidden));
    for (const touch of ["focus", "pointerdown", "keydown"]) addEventListener(touch, () => this.elsewhere && this.wake(false));
  }

  /** Read from the beginning; earlier events count no more. */
  start() {
    this.stop();
    this.restored = null;
    this.drawn = new Map();
    this.run();
  }

  stop() {
    this.running = null;
    clearTimeout(this.losing);
    this.losing = null;
    this.reading?.abort();
    this.rested?.();
  }

  /** The page is shown again, or was hidden. */
  seen(visible) {
    clearTimeout(this.dozing);
    if (visible) {
      this.asleep = false;
      this.wake(Date.now() - this.heard > this.beat + LATE_MS);
    } else if (this.sleeps) {
      this.dozing = setTimeout(() => {
        this.asleep = true;
        this.reading?.abort();
      }, 3000);
    }
  }

  /** Connect at once; `again`: even if there seems to be a connection. */
  wake(again) {
    this.tries = -1;
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
        if (error.status === 401) why = "no_session";
        wait = 1000 * (error.retryAfter ?? 0);
      }
      if (this.running !== running) return;
      if (why === "again") continue;
      if (why === "elsewhere") {
        this.on.lost("other_tab");
        this.elsewhere = true;
        do await this.rest(2 ** 30);
        while (document.hidden && this.running === running);
        this.elsewhere = false;
        if (this.running !== running) return;
        continue;
      }
      if (why === "over") {
        this.running = null;
        this.on.lost("party_over");
        return;
      }
      if (why) {
        this.running = null;
        this.on.end(why);
        return;
      }
      if (!this.asleep) this.losing = this.losing ?? setTimeout(() => this.on.lost("lost"), LOST_MS);
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

  /** The first answer to a request for the stream. One that hangs is sent again, and may still be answered first. */
  answer(asked) {
    let timer = 0;
    const answered = new Promise((resolve, reject) => {
      const send = () => {
        const request = new AbortController();
        asked.push(request);
        if (asked.length > MOST_ASKED) asked.shift().abort();
        fetch(`/seat/stream?tab=${this.tab}`, {
          method: "POST", // some tunnels keep back the answer to a GET until it ends
          headers: headers({ Accept: "text/event-stream" }),
          cache: "no-store",
          signal: request.signal,
        }).then(
          (response) => {
            for (const other of asked) if (other !== request) other.abort();
            resolve(response);
          },
          (error) => asked.includes(request) && reject(error),
        );
      };
      send();
      timer = setInterval(send, CONNECT_MS);
    });
    return answered.finally(() => clearInterval(timer));
  }

  /** Read one connection to its end; the reason, if the server ended it. */
  async read() {
    const asked = [];
    const reading = { abort: () => asked.forEach((request) => request.abort()) };
    this.reading = reading;
    let silent = 0;
    let since = 0;
    const hear = () => {
      clearTimeout(silent);
      this.heard = Date.now();
      if (this.heard - since > STEADY_MS) this.patience = LATE_MS;
      silent = setTimeout(() => {
        this.patience = Math.min(2 * this.patience, MOST_SILENT_MS);
        this.tries = -1;
        reading.abort();
      }, this.beat + this.patience);
    };
    try {
      const response = await this.answer(asked);
      if (!response.ok) throw await failure(response);
      since = Date.now();
      this.beat = 1000;
      hear();
      const reader = response.body.getReader();
      const decoder = new TextDecoder();
      let text = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return null;
        const events = (text + decoder.decode(value, { stream: true })).split("\n\n");
        text = events.pop();
        for (const event of events) {
          const why = this.event(event);
          if (why) return why;
        }
        hear();
      }
    } finally {
      clearTimeout(silent);
      reading.abort();
    }
  }

  event(text) {
    const ping = /^: ping (\d+)/.exec(text);
    if (ping) this.beat = 1000 * Number(ping[1]);
    const fields = {};
    for (const line of text.split("\n")) {
      const colon = line.indexOf(":");
      if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 1).trimStart();
    }
    if (!fields.event) return null;
    const data = JSON.parse(fields.data ?? "{}");
    if (fields.event === "end") return data.why || "moved";
    if (fields.event === "hello") {
      // The restored backup does not know the cards of this page.
      if (data.restored !== (this.restored ?? data.restored)) return "moved";
      this.restored = data.restored;
    }
    if (fields.event === "card") {
      const place = `${data.lane} ${data.table} ${data.slot}`;
      if (this.drawn.get(place) === fields.data) return null;
      this.drawn.set(place, fields.data);
    }
    if (fields.event === "ready") {
      this.tries = 0;
      clearTimeout(this.losing);
      this.losing = null;
      this.on.found();
    }
    this.on[fields.event]?.(data);
    return null;
  }
}
