{% load static %}// Shows the judging page as it was last seen while the server cannot be reached. What has happened
// since then stands in the browser's storage: `judge.js` goes on from there.
"use strict";

const KEPT = "tercet-judging", PATIENCE = 10_000; // milliseconds for the server
const page = new URL("./", location);

// A page that is no longer this person's is kept no longer.
async function keep(request, answer) {
  const cache = await caches.open(KEPT);
  if (answer.ok) await cache.put(request, answer);
  else await cache.delete(request, { ignoreVary: true });
}

const noAnswer = () => new Promise((resolve) => setTimeout(resolve, PATIENCE, Response.error()));

async function freshOrKept(request, name) {
  const kept = await caches.match(name, { ignoreVary: true });
  const fetched = fetch(request).catch(() => Response.error());
  const answer = await (kept ? Promise.race([fetched, noAnswer()]) : fetched);
  if (answer.type === "error" || answer.status >= 500) return kept ?? answer;
  await keep(name, answer.clone()).catch(() => {}); // there may be no room
  return answer;
}

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request, { pathname } = new URL(url);
  const isPage = mode === "navigate" && pathname === page.pathname;
  const isPart = pathname.startsWith("{% get_static_prefix %}");
  if (method === "GET" && (isPage || isPart)) event.respondWith(freshOrKept(event.request, pathname));
});
