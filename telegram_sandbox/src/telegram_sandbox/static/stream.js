/** Keeps the store in step with the sandbox, through lost connections and restarts. */

import * as api from "./api.js";

const FIRST_PAUSE_MS = 300;
const LONGEST_PAUSE_MS = 5000;

/**
 * Load the state, then follow the events.
 *
 * After a lost connection the whole state is read again: the sandbox may have been restarted, and then an old
 * cursor would have no meaning. `onStatus` gets "live" or "lost".
 */
export function follow(store, onStatus) {
  let source = null;
  let pause = FIRST_PAUSE_MS;

  async function connect() {
    let state;
    try {
      state = await api.state();
    } catch {
      return retry();
    }
    store.load(state);
    source = new EventSource(api.eventsUrl(state.cursor));
    source.onopen = () => {
      pause = FIRST_PAUSE_MS;
      onStatus("live");
    };
    source.onmessage = ({ data }) => {
      const event = JSON.parse(data);
      if (event.kind === "reset") restart();
      else store.apply(event);
    };
    source.onerror = retry;
    return undefined;
  }

  function retry() {
    source?.close();
    onStatus("lost");
    setTimeout(connect, pause);
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }

  function restart() {
    source.close();
    connect();
  }

  addEventListener("pagehide", () => source?.close());
  return connect();
}
