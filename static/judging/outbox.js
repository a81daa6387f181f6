// The outbox: votes and undos that the browser keeps until the server has them.
//
//                put                 deliver
//   vote, undo ───────> waiting ───────────────> acknowledged, removed
//                       │  ^  │  no reply
//            withdraw   │  └──┘  (the server may have it all the same)
//                       v
//                    removed
//
// Each entry is an item of localStorage of its own, so tabs do not overwrite one another's. Its
// name sorts by time. The server takes an entry once, however often it is sent.

import { TooFast, post } from "./connection.js";
import { box, sync } from "./page.js";

const MOST = 100; // entries in a message

let serial = 0;

// All entries, the earliest first.
export function entries() {
  const names = Object.keys(localStorage).filter((name) => name.startsWith(box)).sort();
  return names.map((name) => ({ name, ...JSON.parse(localStorage.getItem(name)) }));
}

// The entries that one message may hold.
export function nextBatch() {
  return entries().slice(0, MOST);
}

export function waitingVotes() {
  return entries().filter((entry) => entry.do === "vote");
}

export function waitingKeys() {
  return new Set(waitingVotes().map(({ key }) => key));
}

// Keep a vote or an undo; throw where the storage is full.
export function put(action) {
  const time = String(Date.now()).padStart(15, "0");
  const number = String(serial++).padStart(5, "0");
  const name = `${box}${time}-${number}-${action.key}`;
  localStorage.setItem(name, JSON.stringify({ ...action, at: Date.now() }));
}

export function withdraw({ name }) {
  localStorage.removeItem(name);
}

// Send entries, remove them once the server has them, and return its reply.
export async function deliver(batch, held = []) {
  const reply = await send(batch, held);

  batch.forEach(withdraw);
  return reply;
}

// Send entries again, after a while, where the server finds them too fast.
async function send(batch, held) {
  const actions = batch.map(({ at, name, ...action }) => ({
    ...action,
    waited: Math.max(0, Date.now() - at) / 1000,
  }));

  try {
    return await post(sync, { deeds: actions, holding: held.map(({ key }) => key) });
  } catch (error) {
    if (!(error instanceof TooFast)) throw error;

    await new Promise((resolve) => setTimeout(resolve, error.delay));
    return send(batch, held);
  }
}

// Run one delivery at a time, in all tabs together.
export function exclusively(work) {
  return navigator.locks ? navigator.locks.request(box, work) : work();
}
