// Sends the outbox, and tries again until the server has everything.
//
//              send()                no reply
//   idle ───────────────> sending ──────────────> waiting for the next attempt
//     ^                    │  ^ ^                  │
//     └── all is sent ─────┘  │ └──────────────────┘ after 1, 2, 4 … 30 s, or once online again
//                             │
//            more is waiting ─┘ (reply)

import { TooFast, delayAfter } from "./connection.js";
import { deliver, entries, exclusively, nextBatch, takeBack } from "./outbox.js";

export class Sender {
  failures = 0; // in a row

  #delivery = null;
  #timer = null;
  #uncertain = new Set(); // names of entries that the server may have without having said so

  // `held` returns the questions on the page; `onReply` takes in a reply, together with what was
  // sent; `onChange` is told whenever a delivery ends.
  constructor({ held, onReply, onChange }) {
    Object.assign(this, { held, onReply, onChange });
  }

  get isCutOff() {
    return this.failures > 1 || (this.failures > 0 && !navigator.onLine);
  }

  // A promise while a delivery is under way, else null.
  get delivery() {
    return this.#delivery;
  }

  mayBeAtServer({ name }) {
    return this.#uncertain.has(name);
  }

  send() {
    clearTimeout(this.#timer);
    this.#delivery ??= exclusively(() => this.#attempt())
      .catch(() => false) // the lock was refused
      .then((isSent) => this.#finish(isSent));
  }

  #finish(isSent) {
    this.#delivery = null;
    this.failures = isSent ? 0 : this.failures + 1;
    this.onChange();

    if (!isSent) {
      const spread = 0.75 + Math.random() / 2; // so that not all browsers return at once
      this.#timer = setTimeout(() => this.send(), delayAfter(this.failures) * spread);
    } else if (entries().length) {
      this.send();
    }
  }

  async #attempt() {
    const batch = nextBatch();
    const isOffline = !navigator.onLine;
    for (const { name } of batch) this.#uncertain.add(name);

    try {
      const reply = await this.#replyTo(batch);
      await this.onReply(batch, reply);
      return true;
    } catch {
      if (isOffline) for (const { name } of batch) this.#uncertain.delete(name);
      return false;
    }
  }

  async #replyTo(batch) {
    try {
      return await deliver(batch, this.held());
    } catch (error) {
      if (error instanceof TooFast) return takeBack(batch, this.held());
      throw error;
    }
  }
}
