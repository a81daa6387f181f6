{% load static %}// Shows the judging page as it was last seen while the server cannot be reached. What has happened
// since then stands in the browser's storage: `judge.js` goes on from there.
"use strict";

const KEPT = "tercet-judging";

async function fresh(request) {
  const answer = await fetch(request);
  if (answer.status >= 500) throw new Error(answer.statusText);
  if (answer.ok) (await caches.open(KEPT)).put(request, answer.clone());
  return answer;
}

async function freshOrKept(request) {
  const reached = fresh(request.clone());
  return reached.catch(async () => await caches.match(request, { ignoreVary: true }) ?? fetch(request));
}

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  const isPage = mode === "navigate" && new URL(url).pathname === new URL("./", location).pathname;
  const isPart = new URL(url).pathname.startsWith("{% get_static_prefix %}");
  if (method === "GET" && (isPage || isPart)) event.respondWith(freshOrKept(event.request));
});
