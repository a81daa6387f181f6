{% load static %}// The service worker of the judging page: shows the page as it was last seen while the server cannot
// be reached. The page then goes on from what its outbox and its queue keep in the browser.
//
//   request ──> server ──> reply: shown, and kept for later
//                     └──> none within 10 s, or an error: what was kept is shown
"use strict";

const CACHE = "tercet-judging";
const TIMEOUT = 10_000; // milliseconds
const page = new URL("./", location);

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  const { pathname } = new URL(url);

  const isPage = mode === "navigate" && pathname === page.pathname;
  const isPart = pathname.startsWith("{% get_static_prefix %}");
  if (method === "GET" && (isPage || isPart)) event.respondWith(freshOrKept(event.request, pathname));
});

async function freshOrKept(request, name) {
  const kept = await caches.match(name, { ignoreVary: true });
  const fetched = fetch(request).catch(() => Response.error());
  const response = await (kept ? Promise.race([fetched, afterTimeout()]) : fetched);
  if (response.type === "error" || response.status >= 500) return kept ?? response;

  await keep(name, response.clone()).catch(() => {}); // there may be no room
  return response;
}

function afterTimeout() {
  return new Promise((resolve) => setTimeout(resolve, TIMEOUT, Response.error()));
}

// A page that is not this person's any more is removed.
async function keep(name, response) {
  const cache = await caches.open(CACHE);
  if (response.ok) await cache.put(name, response);
  else await cache.delete(name, { ignoreVary: true });
}
