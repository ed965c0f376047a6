/** Keeps the screen awake as long as `wanted()` is true, if the browser lets it: over plain HTTP none does. */
export class Awake {
  /** `awoken`: the browser keeps the screen awake now. */
  constructor(wanted, awoken = () => {}) {
    this.wanted = wanted;
    this.awoken = awoken;
    /** The promise of a lock, or null. */
    this.lock = null;
    /** Whether the browser has refused it since the page was last shown. */
    this.refused = false;
    document.addEventListener("visibilitychange", () => {
      this.refused = false;
      this.check();
    });
  }

  /** Ask for the lock, or give it back. Browsers take it from a hidden page, and refuse it while the battery is low. */
  check() {
    const { lock } = this;
    if (!this.wanted()) {
      this.lock = null;
      lock?.then((held) => held?.release());
    } else if (!lock && !this.refused && !document.hidden && navigator.wakeLock) this.lock = this.ask();
  }

  async ask() {
    const lock = await navigator.wakeLock.request("screen").catch(() => null);
    lock?.addEventListener("release", () => {
      this.lock = null;
    });
    if (lock) this.awoken();
    else {
      this.lock = null;
      this.refused = true;
    }
    return lock;
  }
}
