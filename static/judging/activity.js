// The activity clock: for how long somebody has attended to the current question.
//
//              the page is hidden
//   attending ────────────────────> hidden: nothing is counted
//       ^     <────────────────────
//       │      the page is shown
//       v
//   idle: after 30 seconds without a key, a pointer or a scroll, nothing is counted

const IDLE = 30_000; // milliseconds
const SIGNS = ["keydown", "pointermove", "pointerdown", "scroll", "touchstart"];

export class ActivityClock {
  #active = 0; // milliseconds
  #lastSign = performance.now();
  #wasHidden = document.hidden;

  // `onSign` is called at every sign of activity.
  constructor(onSign) {
    const note = () => {
      this.note();
      onSign();
    };
    for (const sign of SIGNS) addEventListener(sign, note, { passive: true });
    document.addEventListener("visibilitychange", note);
  }

  // Begin with a new question.
  restart() {
    this.#active = 0;
    this.#lastSign = performance.now();
  }

  // Count the time since the last sign of activity.
  note() {
    const now = performance.now();
    if (!this.#wasHidden) this.#active += Math.min(now - this.#lastSign, IDLE);

    this.#lastSign = now;
    this.#wasHidden = document.hidden;
  }

  get seconds() {
    return this.#active / 1000;
  }
}
