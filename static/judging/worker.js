// Starts the service worker, which shows this page when it is loaded again without a connection.
// The worker begins too late to see the first page itself, so that page is put into its cache here.

import { offline } from "./page.js";

const CACHE = "tercet-judging";
const STATIC = new URL("../", import.meta.url).href;

export async function startWorker() {
  const worker = navigator.serviceWorker;
  if (!offline || !worker || worker.controller) return;

  try {
    await worker.register(offline);
    await worker.ready;
    await keepPage();
  } catch {} // no room, or not allowed: judging works without it
}

async function keepPage() {
  const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
  const parts = loaded.filter((name) => name.startsWith(STATIC));
  const cache = await caches.open(CACHE);
  await cache.addAll([location.pathname, ...new Set(parts)]);
}
