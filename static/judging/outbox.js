// The outbox: votes and undos that the browser keeps until the server has them.
//
//                put                 deliver
//   vote, undo ───────> waiting ───────────────> acknowledged, removed
//                       │  ^  │  no reply
//   withdraw, takeBack  │  └──┘  (the server may have it all the same)
//                       v
//                    removed
//
// Each entry is an item of localStorage of its own, so tabs do not overwrite one another's. Its
// name sorts by time. An entry is removed only after a reply: a connection that breaks says nothing
// about whether the server has the vote, so it is sent again, and the server takes it once.

import { post } from "./connection.js";
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

// Remove entries of which the server found a vote too fast, and return a reply that asks the
// questions again whose votes it has not taken; throw where it has no questions to ask.
export async function takeBack(batch, held) {
  const reply = await send([], held);
  if (!reply.order) throw new Error("no questions");

  batch.forEach(withdraw);
  const taken = batch.map(({ key }) => (reply.order.includes(key) ? "refused" : "saved"));
  return { ...reply, taken, tooFast: true };
}

function send(batch, held) {
  const actions = batch.map(({ at, name, ...action }) => ({
    ...action,
    waited: Math.max(0, Date.now() - at) / 1000,
  }));

  return post(sync, { deeds: actions, holding: held.map(({ key }) => key) });
}

// Run one delivery at a time, in all tabs together.
export function exclusively(work) {
  return navigator.locks ? navigator.locks.request(box, work) : work();
}
