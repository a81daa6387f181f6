// The outbox: what waits in the browser until the server has it.
//
// Every vote is first put into the browser's storage, one entry each so that tabs do not disturb
// one another, and leaves it when the server has acknowledged it.
"use strict";

const find = (selector) => document.querySelector(selector);
const { box, sync, offline } = find("[data-box]")?.dataset ?? {};
const PATIENCE = 10_000; // milliseconds for the server
const BACKOFF = [1000, 2000, 4000, 8000, 15_000, 30_000];
const MOST = 500; // entries in a message

const entries = () => Object.keys(localStorage).filter((name) => name.startsWith(box)).sort()
  .map((name) => ({ name, ...JSON.parse(localStorage.getItem(name)) }));
const votes = () => entries().filter((entry) => entry.do === "vote");

let serial = 0;
function keep(deed) {
  const order = `${String(Date.now()).padStart(15, "0")}-${String(serial++).padStart(5, "0")}`;
  localStorage.setItem(`${box}${order}-${deed.key}`, JSON.stringify({ ...deed, at: Date.now() }));
}

// One delivery at a time in all tabs together.
const alone = navigator.locks ? (work) => navigator.locks.request(box, work) : (work) => work();

// Send entries, forget them once the server has them, and give its answer.
async function deliver(sent, questions = []) {
  const deeds = sent.map(({ at, name, ...deed }) => ({ ...deed, waited: Math.max(0, Date.now() - at) / 1000 }));
  const request = { method: "POST", body: JSON.stringify({ deeds, holding: questions.map(({ key }) => key) }), signal: AbortSignal.timeout(PATIENCE) };
  const response = await fetch(sync, { headers: { "Content-Type": "application/json" }, ...request });
  if (!response.ok) throw new Error(response.statusText);
  const answer = await response.json();
  for (const { name } of sent) localStorage.removeItem(name);
  return answer;
}

// Make sure that an address can be had.
async function reach(address) {
  const { ok } = await fetch(address, { cache: "no-store", signal: AbortSignal.timeout(PATIENCE) });
  if (!ok) throw new Error(address);
}
